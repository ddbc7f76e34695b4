import type { Micros, Tier } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';
import type { EmbeddingState } from './embedding-state.ts';
import type { CopiedMemory, TierStep } from './tier-store.ts';

/** A memory with all data of its store, and its form in its tier. */
export interface MirroredMemory extends CopiedMemory {
  readonly resolution?: Resolution;
  /** Place in the order of storing, from 1, which copies keep. Absent where the store does not number its memories. */
  readonly sequence?: number;
  /** Instant from which its pending vector may be computed. */
  readonly notBeforeUs: Micros;
  /** Its bytes are damaged: `memory` lacks them, and must not be used as a copy. */
  readonly isDamaged?: boolean;
  /** Number of former states with damaged bytes, which `past` lacks. Absent: none. */
  readonly damagedStateCount?: number;
}

/** The changes by a move of a hot memory, and the expected state of its copy. */
export interface MirroredMove {
  readonly id: string;
  readonly revision: number;
  readonly embedding: EmbeddingState;
  readonly tier: Tier;
  readonly tierSinceUs: Micros;
  readonly retrievalCount: number;
  readonly lastAccessedAtUs?: Micros;
  readonly resolution?: Resolution;
}

/** Position up to which the changes of a hot namespace have been followed. */
export interface MirrorPosition {
  /**
   * Identifies one creation of the namespace: another epoch has other changes, for example after its store was emptied.
   */
  readonly epoch: string;
  readonly position: string;
}

/**
 * Data that a hot store has lost after it was seen: all of it, its latest writes, or only entries of its change log
 * that nothing else replaces (`gap`). `unfollowed`: its latest writes, none of which had been followed. `damaged`: an
 * unreadable entry, which was skipped.
 */
export type HotLoss = 'flushed' | 'rolled_back' | 'unfollowed' | 'gap' | 'damaged';

/** An entry of the change log of a hot store. */
export interface HotEntry {
  /** Id of the memory; empty for `namespace_deleted`. */
  readonly id: string;
  /**
   * `released`: another store has taken over the memory. `namespace_deleted`: deletes all earlier memories, in the cold
   * store as well; `namespace_emptied`: the same where none was left.
   */
  readonly kind:
    | 'stored'
    | 'updated'
    | 'deleted'
    | 'expired'
    | 'moved'
    | 'embedded'
    | 'touched'
    | 'released'
    | 'namespace_deleted'
    | 'namespace_emptied';
  /** Revision in the hot store; for `stored` and `updated`, that of the resulting state. */
  readonly revision: number;
  /** For `moved`: absent where the memory came from another store in the same tier, or from a former version. */
  readonly step?: TierStep;
  /** Time of the write. Absent in entries of a former version, and of writes without one. */
  readonly atUs?: Micros;
}

export interface HotChanges extends MirrorPosition {
  /** The namespace exists in the hot store now. */
  readonly isThere: boolean;
  readonly revision: number;
  /** The changes since the position, in order. */
  readonly entries: readonly HotEntry[];
  /** The changed memories in their present state, with former states; without deleted ones. */
  readonly memories: readonly MirroredMemory[];
  /** Instead of memories whose only change, as this instance knows, is one move. */
  readonly moves: readonly MirroredMove[];
  readonly loss?: Exclude<HotLoss, 'gap' | 'damaged'>;
  /** Entries between the position and the first of these are missing: copies of all memories have to be compared. */
  readonly isGapped: boolean;
  /** The first missing entry exists but is unreadable. */
  readonly isDamaged?: boolean;
  readonly hasMore: boolean;
}
