import type { CheckpointCalls } from './checkpoint-calls.ts';
import type { Content, Json } from './content.ts';
import type { CallOptions, WriteOptions } from './options.ts';
import type { StreamOptions } from './streams/resuming.ts';
import type {
  ScratchpadNote,
  SessionDefault,
  SessionEvent,
  SessionWatchQuery,
  SetOptions,
  TaskProgress,
  TaskState,
  ValueOperation,
  WorkingEntry,
  WorkingKey,
  WorkingMemoryStatistics,
} from './working-memory-types.ts';

/** WorkingMemoryService, of one session. The session is made by its first write. Plain values are stored as JSON. */
export interface WorkingMemory extends CheckpointCalls {
  /** Id of the session. */
  readonly session: string;
  /** `AbortedError` when `ifVersion` is not the key's. */
  set(key: string, value: Content | Json, options?: WriteOptions & SetOptions & SessionDefault): Promise<WorkingKey>;
  /** `undefined` when the key is not there or has expired; JSON `null` is a value. */
  get(key: string, options?: CallOptions): Promise<WorkingEntry | undefined>;
  /** The keys that are there, of one moment, in the order asked for. */
  batchGet(keys: readonly string[], options?: CallOptions): Promise<{ entries: WorkingEntry[]; missing: string[] }>;
  has(key: string, options?: CallOptions): Promise<boolean>;
  /** False when the key was not there. */
  delete(key: string, options?: WriteOptions & { readonly ifVersion?: number }): Promise<boolean>;
  /** Keys that match the pattern, such as `user:*`, ordered by code point. */
  listKeys(pattern?: string, options?: CallOptions): AsyncGenerator<WorkingKey, void, undefined>;
  /** Keys with their values; of a checkpoint where one is named. */
  getAll(
    query?: { readonly pattern?: string; readonly checkpointId?: string },
    options?: CallOptions,
  ): AsyncGenerator<WorkingEntry, void, undefined>;
  /** Deletes the keys (not with `keepValues`) and, where asked, task state and scratchpad; checkpoints stay. */
  clear(
    options?: WriteOptions & {
      readonly keepValues?: boolean;
      readonly clearTaskState?: boolean;
      readonly clearScratchpad?: boolean;
    },
  ): Promise<{ keyCount: number; noteCount: number }>;
  /** All of the operations, or none; each key once. In the order of the operations, the keys set or touched. */
  transact(operations: readonly ValueOperation[], options?: WriteOptions): Promise<(WorkingKey | undefined)[]>;

  setTaskState(
    task: TaskProgress & { readonly taskId?: string },
    options?: WriteOptions & { readonly ifVersion?: number },
  ): Promise<TaskState>;
  getTaskState(options?: CallOptions): Promise<TaskState | undefined>;
  /** Changes the fields that are set. `NotFoundError` when there is no task. */
  updateTaskProgress(
    progress: TaskProgress,
    options?: WriteOptions & { readonly ifVersion?: number },
  ): Promise<TaskState>;

  /** Appends to the scratchpad; strings are stored as plain text. */
  appendScratchpad(
    notes: string | Content | readonly (string | Content)[],
    options?: WriteOptions,
  ): Promise<{ firstSequence: number; droppedCount: number }>;
  listScratchpad(
    query?: { readonly order?: 'oldest' | 'newest' },
    options?: CallOptions,
  ): AsyncGenerator<ScratchpadNote, void, undefined>;
  clearScratchpad(options?: WriteOptions): Promise<{ noteCount: number }>;

  /** `NotFoundError` when the session is not there. */
  getStatistics(options?: CallOptions): Promise<WorkingMemoryStatistics>;
  /**
   * Changes of the session, in order, each at least once, until the reader stops. After an interruption it reconnects
   * and continues. `OutOfRangeError` when changes are no longer retained: read everything again.
   */
  watch(query?: SessionWatchQuery, options?: StreamOptions): AsyncGenerator<SessionEvent, void, undefined>;
}
