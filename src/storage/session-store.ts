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
import type { StoreWrite } from './records.ts';

/**
 * The owner of sessions: keys with values, task state, scratchpad and checkpoints. Every backend passes
 * `test/storage/conformance/session-store.suite.ts`.
 *
 * A write is atomic, has the session's next revision, and resolves when it is as durable as the backend makes it; every
 * later read sees it. Repeating a write with `idempotency` returns the first outcome, or fails with REQUEST_ID_REUSED.
 * Reads of a missing session find nothing, and reads do not see what has expired at `nowUs`. A backend that does not
 * answer fails with STORAGE_UNAVAILABLE, without a fallback.
 */
export interface SessionStore {
  /** Whether a transition may store an episode in the same transaction. */
  readonly storesEpisodes: boolean;
  write(write: SessionWrite): Promise<SessionOutcome>;

  /** Stored outcome of a request id, or `undefined`; fails with REQUEST_ID_REUSED as writes do. */
  outcomeOf(key: SessionKey, idempotency: Idempotency): Promise<SessionOutcome | undefined>;
  session(key: SessionKey): Promise<SessionRecord | undefined>;
  /** By id, at most `limit`, after `afterId` if present. */
  sessions(read: {
    namespace: string;
    limit: number;
    afterId?: string;
    states?: readonly SessionState[];
  }): Promise<SessionRecord[]>;
  /** In the order of `keys`, `undefined` for missing ones. */
  get(
    read: SessionKey & { keys: readonly string[]; nowUs: Micros },
  ): Promise<{ revision: number; entries: (Entry | undefined)[] }>;
  /** Keys in the order of their code points; with a pattern, only matching keys. */
  list(read: EntryListRead): Promise<EntryPage>;
  notes(read: NoteListRead): Promise<NotePage>;
  checkpoint(read: SessionKey & { id: string; nowUs: Micros }): Promise<Checkpoint | undefined>;
  /** Newest first, at most `limit`, older than `beforeRevision` if present. Reads no bodies. */
  checkpoints(read: SessionKey & { limit: number; beforeRevision?: number; nowUs: Micros }): Promise<Checkpoint[]>;
  /** The contents of the session, or of a checkpoint; `undefined` if missing. Fails with CHECKSUM_MISMATCH. */
  snapshot(read: SessionKey & { checkpoint?: string; nowUs: Micros }): Promise<SessionSnapshot | undefined>;
  /** Changes after a revision, oldest first: complete writes, at least one, up to about `limit` changes. */
  changes(read: SessionKey & { afterRevision: number; limit: number }): Promise<ChangePage>;
  /** Calls back soon after each write to the session; returns a function that stops it. */
  onChange(key: SessionKey, listener: () => void): () => void;
  statistics(key: SessionKey, nowUs: Micros): Promise<SessionStatistics | undefined>;

  /** Active sessions without a write for their `idleTtlUs`, at most `limit`. */
  idle(read: { nowUs: Micros; limit: number }): Promise<SessionKey[]>;
  /** Erases expired data, at most about `limit` items; `isDone` when none is left. */
  eraseExpired(read: { nowUs: Micros; limit: number }): Promise<{ erasedCount: number; isDone: boolean }>;
  /** Erases the session with all its data; false when it does not exist. */
  eraseSession(key: SessionKey): Promise<boolean>;
  /** Erases the sessions of a namespace that is being deleted. */
  eraseNamespace(namespace: string): Promise<void>;
  /**
   * After the deletion of a namespace in another store: a session that is being made for it fails, however long its
   * server was asleep. Sessions that begin later are not affected. Nothing is to be done where sessions are deleted
   * with their namespace, or in one process.
   */
  fenceNamespace(namespace: string): Promise<void>;
  describe(): { role: string; technology: string; durability: string }[];
  close(): Promise<void>;
}

export interface SessionWrite extends SessionKey {
  /** Creates a missing session; otherwise the write fails with SESSION_NOT_FOUND. */
  readonly create?: SessionDraft;
  /** States in which the write is allowed. Default: active, and not frozen. Others fail with SESSION_NOT_ACTIVE. */
  readonly states?: readonly SessionState[];
  /** In order; each sees the effects of the previous ones. Keys of `set`, `delete` and `touch` occur once. */
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
  /** Fails with SESSION_EXISTS when the session exists. */
  readonly mustBeNew: boolean;
}

/** Expiry of a key: by the session's default, never, unchanged, or at an instant. */
export type Expiry = { readonly kind: 'default' | 'never' | 'keep' } | { readonly kind: 'at'; readonly atUs: Micros };

/** Failures: `ifVersion` (0: the key must not exist) VERSION_MISMATCH; limits SESSION_FULL. */
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
  /** Default for keys that are later set without an expiry; 0: they never expire. */
  | { kind: 'setDefaultTtl'; ttlUs: Micros }
  /**
   * Fails with VERSION_MISMATCH where the session has another revision. The revision after the write is at least
   * `next`. Comes first.
   */
  | { kind: 'checkRevision'; revision: number; next: number }
  /**
   * Replaces the session by a copy of another store's: values, notes and task state with their versions, no
   * checkpoints.
   */
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

/** Effects of an operation; numbers that do not apply are 0. */
export interface OpResult {
  /** Numbers of keys, notes or checkpoints that it wrote or removed. */
  readonly written: number;
  readonly removed: number;
  /** Number of checkpoints that it removed. */
  readonly checkpointsRemoved?: number;
  readonly head?: EntryHead;
  readonly task?: TaskState;
  /** Sequence of the first note appended. */
  readonly sequence?: number;
  /** Notes that it removed, including those dropped for the limit. */
  readonly notes?: number;
  readonly checkpoint?: Checkpoint;
  /** Expired keys of a checkpoint, which were left out. */
  readonly expired?: number;
  /** `result` of a transition. */
  readonly answer?: string;
}

export interface SessionOutcome {
  readonly revision: number;
  readonly created: boolean;
  readonly results: readonly OpResult[];
  /** The session after the write, if that had a transition. */
  readonly record?: SessionRecord;
}

export interface EntryListRead extends SessionKey {
  /** See `memory/glob.ts`. */
  readonly pattern?: string;
  readonly afterKey?: string;
  readonly limit: number;
  /** With values, a page ends before they exceed this size, but holds at least one. */
  readonly bytesMax: number;
  readonly withValues: boolean;
  readonly nowUs: Micros;
}

export interface EntryPage {
  readonly revision: number;
  /** With `content` if values were requested. */
  readonly entries: readonly (EntryHead & { readonly content?: Content })[];
  /** Key after which the next page begins; absent on the last page. A page may end before it is full. */
  readonly nextAfter?: string;
}

export interface NoteListRead extends SessionKey {
  readonly order: 'oldest' | 'newest';
  /** Sequence of the last note of the previous page. */
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
  /** Changes up to this revision are deleted. */
  readonly compactedRevision: number;
  readonly changes: readonly SessionChange[];
}

export interface SessionStatistics {
  readonly project: string;
  readonly agentType: string;
  readonly agent: string;
  /** Whether the answer comes from a copy, because the session's store does not answer. */
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
 * A step in the lifecycle of a session. The caller decides on it before the write; the store compares the generation,
 * so that only one of two concurrent steps is taken: the other fails with VERSION_MISMATCH.
 */
export interface SessionTransition {
  readonly kind: 'transition';
  /** Generation on which the decision is based; the session has the next one afterwards. A new session is at 0. */
  readonly fromGeneration: number;
  /** If present, the required revision of the session: no write has happened since the decision. */
  readonly ifRevision?: number;
  readonly to: SessionState;
  readonly isFrozen: boolean;
  /** JSON objects; see `SessionRecord`. */
  readonly metadata: string;
  readonly lifecycle: string;
  /** Erases the session with all its data: its id is unused again. */
  readonly erases?: boolean;
  /** When the session is erased. */
  readonly expiresAtUs?: Micros;
  /** Appended to the namespace's event log with the step. */
  readonly event?: string;
  /** Returned with the result, and so stored for the request id. */
  readonly answer: string;
  /** Stored with the step; only where the store says that it `storesEpisodes`. */
  readonly episode?: StoreWrite;
}
