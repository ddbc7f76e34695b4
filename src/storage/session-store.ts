import type { Idempotency } from '../memory/call.ts';
import type { Content, Micros } from '../memory/memory.ts';
import type {
  Checkpoint,
  CheckpointHold,
  Entry,
  EntryHead,
  Note,
  SessionChange,
  SessionKey,
  SessionLimits,
  SessionRecord,
  SessionSnapshot,
  SessionState,
  TaskFields,
  TaskState,
} from '../memory/session.ts';
import type { StoreWrite } from './memory-store.ts';

/**
 * Where sessions are kept: keys with values, task state, scratchpad and checkpoints of each. Every backend passes
 * `test/conformance/session-store.suite.ts`.
 *
 * A write takes effect as a whole or not at all, has the session's next revision, and resolves when it is as durable as
 * the backend makes it; every later read sees it. A write with `idempotency` that was done before gives its first
 * outcome, or fails with REQUEST_ID_REUSED. Reads of a session that is not there find nothing, and what has expired at
 * `nowUs` is not there for reads. A backend that does not answer fails with STORAGE_UNAVAILABLE: nothing takes its place.
 */
export interface SessionStore {
  /** Whether a transition may bring an episode that is stored with it. */
  readonly storesEpisodes: boolean;
  write(write: SessionWrite): Promise<SessionOutcome>;

  /** Outcome kept for a request id, or `undefined`; fails with REQUEST_ID_REUSED as writes do. */
  outcomeOf(key: SessionKey, idempotency: Idempotency): Promise<SessionOutcome | undefined>;
  session(key: SessionKey): Promise<SessionRecord | undefined>;
  /** By id, at most `limit`, after `afterId` when given. */
  sessions(read: {
    namespace: string;
    limit: number;
    afterId?: string;
    states?: readonly SessionState[];
  }): Promise<SessionRecord[]>;
  /** In the order of `keys`, `undefined` for those that are not there. */
  get(
    read: SessionKey & { keys: readonly string[]; nowUs: Micros },
  ): Promise<{ revision: number; entries: (Entry | undefined)[] }>;
  /** Keys in the order of their code points, of those that match the pattern when one is given. */
  list(read: EntryListRead): Promise<EntryPage>;
  notes(read: NoteListRead): Promise<NotePage>;
  checkpoint(read: SessionKey & { id: string; nowUs: Micros }): Promise<Checkpoint | undefined>;
  /** Newest first, at most `limit`, older than `beforeRevision` when given. Reads no bodies. */
  checkpoints(read: SessionKey & { limit: number; beforeRevision?: number; nowUs: Micros }): Promise<Checkpoint[]>;
  /** The contents of the session, or of a checkpoint; `undefined` when it is not there. Fails with CHECKSUM_MISMATCH. */
  snapshot(read: SessionKey & { checkpoint?: string; nowUs: Micros }): Promise<SessionSnapshot | undefined>;
  /** What happened after a revision, oldest first, whole writes of at least one and about `limit` changes. */
  changes(read: SessionKey & { afterRevision: number; limit: number }): Promise<ChangePage>;
  /** Calls back, soon after they happened, for writes to the session; returns what ends that. */
  onChange(key: SessionKey, listener: () => void): () => void;
  statistics(key: SessionKey, nowUs: Micros): Promise<SessionStatistics | undefined>;

  /** Active sessions to which nothing has been written for their `idleTtlUs`, at most `limit`. */
  idle(read: { nowUs: Micros; limit: number }): Promise<SessionKey[]>;
  /** Erases what has expired, at most about `limit` things; `isDone` when nothing is left. */
  eraseExpired(read: { nowUs: Micros; limit: number }): Promise<{ erasedCount: number; isDone: boolean }>;
  /** Erases the session with everything in it; false when it was not there. */
  eraseSession(key: SessionKey): Promise<boolean>;
  /** Erases the sessions of a namespace that is being deleted. */
  eraseNamespace(namespace: string): Promise<void>;
  describe(): { role: string; technology: string; durability: string }[];
  close(): Promise<void>;
}

export interface SessionWrite extends SessionKey {
  /** Makes the session when it is not there; without it, a missing one fails with SESSION_NOT_FOUND. */
  readonly create?: SessionDraft;
  /** States in which the write may be made. Default: active, and not frozen. Others fail with SESSION_NOT_ACTIVE. */
  readonly states?: readonly SessionState[];
  /** In order; each sees what those before it did. Keys of `set`, `delete` and `touch` occur once. */
  readonly ops: readonly SessionOp[];
  readonly limits: SessionLimits;
  readonly atUs: Micros;
  readonly idempotency?: Idempotency;
}

export interface SessionDraft {
  readonly project: string;
  readonly agentType: string;
  readonly agent: string;
  readonly defaultTtlUs: number;
  readonly idleTtlUs: number;
  readonly isSpawned: boolean;
  /** Fails with SESSION_EXISTS when it is there. */
  readonly mustBeNew: boolean;
}

/** When a key expires: at the session's default, never, when it did before, or at an instant. */
export type Expiry = { readonly kind: 'default' | 'never' | 'keep' } | { readonly kind: 'at'; readonly atUs: Micros };

/** Failures: `ifVersion` (0: must not be there) VERSION_MISMATCH; limits SESSION_FULL. */
export type SessionOp =
  | { kind: 'set'; key: string; content: Content; expiry: Expiry; ifVersion?: number }
  | { kind: 'delete'; key: string; ifVersion?: number }
  | { kind: 'touch'; key: string; expiry: Expiry; ifVersion?: number }
  | { kind: 'check'; key: string; ifVersion: number }
  | { kind: 'clear'; values: boolean; task: boolean; notes: boolean; checkpoints: boolean }
  | { kind: 'setTask'; task: TaskFields; startedAtUs?: Micros; ifVersion?: number }
  /** Fails with TASK_NOT_FOUND when there is no task. */
  | { kind: 'patchTask'; patch: Partial<TaskFields>; ifVersion?: number }
  | { kind: 'append'; contents: readonly Content[] }
  | CheckpointOp
  | { kind: 'restore'; id: string; mode: 'replace' | 'merge' }
  | { kind: 'load'; snapshot: SessionSnapshot }
  /** Of keys that are set without an expiry from now on; 0: they stay. */
  | { kind: 'setDefaultTtl'; ttlUs: Micros }
  /** Fails with VERSION_MISMATCH where the session is at another revision. The write has at least `next`. Comes first. */
  | { kind: 'checkRevision'; revision: number; next: number }
  /** Makes the session a copy of another store's: its values, notes and task state with their versions, no checkpoints. */
  | { kind: 'adopt'; record: SessionRecord; snapshot: SessionSnapshot }
  | { kind: 'dropCheckpoint'; id: string }
  | { kind: 'keepCheckpoint'; id: string; expiresAtUs?: Micros }
  | SessionTransition;

/** At most one in a write. Fails with CHECKPOINT_EXISTS. */
export interface CheckpointOp {
  readonly kind: 'checkpoint';
  readonly id: string;
  readonly description: string;
  readonly cause: Checkpoint['kind'];
  readonly expiresAtUs?: Micros;
  readonly hold?: CheckpointHold;
  readonly memoryRevision: number;
}

/** What an operation did; numbers that do not apply are 0. */
export interface OpResult {
  /** Keys, notes or checkpoints that it wrote, and that it took away. */
  readonly written: number;
  readonly removed: number;
  /** Checkpoints that it took away. */
  readonly checkpointsRemoved?: number;
  readonly head?: EntryHead;
  readonly task?: TaskState;
  /** Sequence of the first note appended. */
  readonly sequence?: number;
  /** Notes dropped to make room, or taken away. */
  readonly notes?: number;
  readonly checkpoint?: Checkpoint;
  /** Keys of a checkpoint that had expired and were left out. */
  readonly expired?: number;
  /** Of a transition, as it was given. */
  readonly answer?: string;
}

export interface SessionOutcome {
  readonly revision: number;
  readonly created: boolean;
  readonly results: readonly OpResult[];
  /** The session afterwards, where the write had a transition. */
  readonly record?: SessionRecord;
}

export interface EntryListRead extends SessionKey {
  /** See `memory/glob.ts`. */
  readonly pattern?: string;
  readonly afterKey?: string;
  readonly limit: number;
  /** With values, a page ends before they pass this size, but holds at least one. */
  readonly bytesMax: number;
  readonly withValues: boolean;
  readonly nowUs: Micros;
}

export interface EntryPage {
  readonly revision: number;
  /** With `content` where values were asked for. */
  readonly entries: readonly (EntryHead & { readonly content?: Content })[];
  readonly isLast: boolean;
}

export interface NoteListRead extends SessionKey {
  readonly order: 'oldest' | 'newest';
  /** Sequence of the last note of the page before. */
  readonly after?: number;
  readonly limit: number;
  readonly bytesMax: number;
}

export interface NotePage {
  readonly revision: number;
  readonly notes: readonly Note[];
  readonly isLast: boolean;
  readonly total: number;
  readonly dropped: number;
}

export interface ChangePage {
  /** Newest revision of the session. */
  readonly revision: number;
  /** Changes up to this one are no longer kept. */
  readonly compactedRevision: number;
  readonly changes: readonly SessionChange[];
}

export interface SessionStatistics {
  readonly project: string;
  readonly agentType: string;
  readonly agent: string;
  /** Whether a copy answers, because the store of the session does not. */
  readonly usingFallback: boolean;
  readonly revision: number;
  readonly keyCount: number;
  readonly valueBytes: number;
  readonly noteCount: number;
  readonly noteBytes: number;
  readonly notesDropped: number;
  readonly hasTask: boolean;
  readonly checkpointCount: number;
  readonly checkpointBytes: number;
  readonly createdAtUs: Micros;
  readonly updatedAtUs: Micros;
}

/**
 * A step in the life of a session. What it means is decided before it is written; the store compares the generation,
 * so that of two steps that were decided on at the same time only one is taken: the other fails with VERSION_MISMATCH.
 */
export interface SessionTransition {
  readonly kind: 'transition';
  /** Generation that the step was decided on; the session has the next one afterwards. A new session is at 0. */
  readonly fromGeneration: number;
  /** When given, the revision that the session must have: nothing was written to it since it was looked at. */
  readonly ifRevision?: number;
  readonly to: SessionState;
  readonly isFrozen: boolean;
  /** JSON objects; see `SessionRecord`. */
  readonly metadata: string;
  readonly lifecycle: string;
  /** Takes the session away with all that it holds: its id is free. */
  readonly erases?: boolean;
  /** When the session is forgotten. */
  readonly expiresAtUs?: Micros;
  /** Appended to the namespace's log of events with the step. */
  readonly event?: string;
  /** Given back with the result, and so kept for the request id. */
  readonly answer: string;
  /** Stored with the step; only where the store says that it `storesEpisodes`. */
  readonly episode?: StoreWrite;
}
