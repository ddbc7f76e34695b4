import type { Memory, Micros } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';
import type { Namespace, PastState, Records } from './records.ts';
import type { TierStep } from './tiers.ts';

/** A memory with all data of its store, and its form in its tier. */
export interface MemoryCopy {
  /** The memory in full view. */
  readonly memory: Memory;
  /** Place in the order of storing, from 1, which copies keep. */
  readonly sequence: number;
  readonly tierSinceUs: Micros;
  readonly resolution?: Resolution;
  readonly embeddingPending: boolean;
  /** Instant from which its pending vector may be computed. */
  readonly notBeforeUs: Micros;
  /** Former states, newest first. */
  readonly past: readonly PastState[];
  /** Its bytes are damaged or lost: `memory` lacks them. */
  readonly isDamaged?: boolean;
  /** Number of former states with damaged bytes, which `past` lacks. Absent: none. */
  readonly damagedStateCount?: number;
}

/** Position in the log of a namespace. */
export interface RecordPosition {
  /** Identifies one creation of the namespace: another epoch has other changes. */
  readonly epoch: string;
  readonly position: string;
}

/** An entry of the log of a namespace. */
export interface RecordEntry {
  readonly id: string;
  readonly kind: 'stored' | 'updated' | 'deleted' | 'expired' | 'moved' | 'embedded' | 'touched';
  /** The revision of the resulting state for `stored` and `updated`. */
  readonly revision: number;
  /** Present for `moved`. */
  readonly step?: TierStep;
  /** Time of the write. Absent: not known. */
  readonly atUs?: Micros;
}

/** Changes of a namespace since a position. */
export interface RecordChanges extends RecordPosition {
  readonly namespace: Namespace;
  /** Newest revision of the namespace. */
  readonly revision: number;
  /**
   * The changes of memories, in order. Those of another epoch than that of the position begin at its creation.
   */
  readonly entries: readonly RecordEntry[];
  /**
   * The changed memories in their present state, with former states; without deleted and unreadable ones. Later changes
   * have entries of their own.
   */
  readonly memories: readonly MemoryCopy[];
  readonly hasMore: boolean;
  /** All vectors of the namespace were recomputed by one of the changes. */
  readonly replacesVectors?: boolean;
  /** Description, limit or settings of the namespace were changed by one of the changes. */
  readonly updatesNamespace?: boolean;
  /**
   * Entries up to this revision are deleted, and the position is before it: there are no changes in this answer, and
   * copies of the memories have to take the place of the entries.
   */
  readonly cut?: number;
}

/** Limits of the logs of all namespaces together. */
export interface LogLimits {
  readonly countMax: number;
  readonly bytesMax: number;
  readonly ageMaxMs: number;
}

/**
 * A store that owns the memories of all tiers, and logs its changes: a view that follows the log lists, counts and
 * sums. Each namespace has its own log; the epoch of a position is one creation of the namespace.
 */
export interface LoggedRecords extends Records {
  /** The changes since a position; without one, from the beginning. Fails with NAMESPACE_NOT_FOUND. */
  changes(read: { readonly namespace: string; readonly since?: RecordPosition }): Promise<RecordChanges>;
  /** Every id that is in the namespace throughout. */
  allIds(namespace: string): AsyncIterable<string>;
  /** Complete copies of the existing memories. */
  copies(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<MemoryCopy[]>;
  /** Approximate bytes of the complete copies of the existing memories, by id. */
  sizes(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<ReadonlyMap<string, number>>;
  /** The ids with an entry in the log after a revision. May scan that part of the log. */
  loggedIds(read: {
    readonly namespace: string;
    readonly ids: readonly string[];
    readonly afterRevision: number;
  }): Promise<readonly string[]>;
  /** Deletes the oldest entries beyond the limits; returns their number. Stops early when the signal aborts. */
  trimLogs(limits: LogLimits, signal: AbortSignal): Promise<number>;
  /**
   * Calls the function soon after each change with the name of the namespace, also where another server has made it;
   * a name may come without a change. Returns a function that ends it.
   */
  follow(onChange: (namespace: string) => void): () => void;
}
