import type { Content, Json } from './content.ts';
import type { Scope } from './memory.ts';

/** A key of a session, without its value. */
export interface WorkingKey {
  readonly key: string;
  /** For changes on condition; never used again for another value. */
  readonly version: number;
  /** Bytes of key and value. */
  readonly bytes: number;
  readonly createTime: Date;
  readonly updateTime: Date;
  /** Absent: it does not expire. */
  readonly expireTime?: Date;
}

export interface WorkingEntry extends WorkingKey {
  readonly value: Content;
}

/** Expiry of a key: after milliseconds, never, or unchanged. Default: the session's default. */
export type KeyExpiry = { readonly ttlMs: number } | 'never' | 'keep';

export interface SetOptions {
  readonly expiry?: KeyExpiry;
  /** Must be the version of the key; 0: the key must not be there. */
  readonly ifVersion?: number;
}

export interface SessionDefault {
  /**
   * Time to live, in milliseconds, that keys of the session have from now on which are set without an expiry, this one included;
   * `never`: they stay. Default: it stays as it is.
   */
  readonly sessionDefaultTtlMs?: number | 'never';
}

/** One step of a transaction. */
export type ValueOperation =
  | ({ readonly set: string; readonly value: Content | Json } & SetOptions)
  | { readonly remove: string; readonly ifVersion?: number }
  | { readonly touch: string; readonly expiry: KeyExpiry; readonly ifVersion?: number }
  | { readonly check: string; readonly ifVersion: number };

export type TaskStatus = 'pending' | 'in_progress' | 'blocked' | 'completed' | 'failed' | 'cancelled';

export interface TaskProgress {
  readonly description?: string;
  readonly status?: TaskStatus;
  /** Details of the status. */
  readonly detail?: string;
  readonly currentStep?: number;
  /** 0: not known. */
  readonly totalSteps?: number;
  /** 0 to 100; other values are clamped. */
  readonly progressPercent?: number;
}

export interface TaskState extends Required<TaskProgress> {
  readonly taskId: string;
  readonly startTime: Date;
  readonly updateTime: Date;
  readonly version: number;
}

export interface ScratchpadNote {
  /** From 1; never used again in a session. */
  readonly sequence: number;
  readonly time: Date;
  readonly content: Content;
}

export interface Checkpoint {
  readonly id: string;
  readonly description: string;
  readonly kind: 'manual' | 'lifecycle';
  /** The session's preceding checkpoint; empty for the first. */
  readonly parentCheckpointId: string;
  readonly createTime: Date;
  /** Absent: it is kept. */
  readonly expireTime?: Date;
  readonly sessionRevision: number;
  readonly memoryRevision: number;
  readonly keyCount: number;
  readonly noteCount: number;
  readonly hasTaskState: boolean;
  readonly bytes: number;
  /** Compressed, without parts shared with other checkpoints. */
  readonly storedBytes: number;
  readonly checksum: string;
}

export interface CheckpointDiff {
  readonly keys: readonly {
    readonly key: string;
    readonly difference: 'added' | 'removed' | 'changed';
    readonly fromBytes: number;
    readonly toBytes: number;
  }[];
  /** May exceed the number of listed keys, of which there are at most 1,000. */
  readonly differingCount: number;
  readonly equalCount: number;
  readonly taskDiffers: boolean;
  readonly fromTask?: TaskState;
  readonly toTask?: TaskState;
  readonly addedNoteCount: number;
  readonly removedNoteCount: number;
}

export interface RestoreCheckpointResult {
  readonly checkpoint: Checkpoint;
  readonly restoredCount: number;
  /** Keys of the checkpoint that have expired since and were left out. */
  readonly expiredCount: number;
  readonly removedCount: number;
  readonly noteCount: number;
  readonly revision: number;
}

export interface WorkingMemoryStatistics {
  readonly keyCount: number;
  readonly valueBytes: number;
  readonly noteCount: number;
  readonly noteBytes: number;
  readonly droppedNoteCount: number;
  readonly hasTaskState: boolean;
  readonly checkpointCount: number;
  readonly checkpointBytes: number;
  readonly createTime: Date;
  readonly updateTime: Date;
  readonly revision: number;
  /** Whose session it is. */
  readonly scope: Scope;
  /** True while the server serves the session from its own copy, because Redis is unreachable. */
  readonly usingFallback: boolean;
}

export type SessionEventKind =
  | 'set'
  | 'deleted'
  | 'expired'
  | 'touched'
  | 'cleared'
  | 'restored'
  | 'task_state'
  | 'scratchpad_appended'
  | 'scratchpad_cleared'
  | 'checkpoint_created'
  | 'checkpoint_deleted'
  | 'lifecycle'
  | 'other';

export interface SessionEvent {
  readonly kind: SessionEventKind;
  readonly revision: number;
  /** The key, or the id of the checkpoint; empty where it is about neither. */
  readonly key: string;
  readonly time: Date;
  /** Where values were asked for, of a key that was set and not set again since. */
  readonly entry?: WorkingEntry;
}

export interface SessionWatchQuery {
  /** Revision after which to begin. Default: from now on. */
  readonly afterRevision?: number;
  /** Which keys. Default: all. */
  readonly pattern?: string;
  /** Sends values along. */
  readonly includeValues?: boolean;
}
