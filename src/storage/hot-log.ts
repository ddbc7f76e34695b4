import type { Micros, Tier } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';
import type { EmbeddingState } from './embedding-state.ts';
import type { CopiedMemory, TierStep } from './tier-store.ts';

/** A memory with all that its store knows of it, and how its tier keeps it. */
export interface MirroredMemory extends CopiedMemory {
  readonly resolution?: Resolution;
  /** When its vector may be computed, where it waits for one. */
  readonly notBeforeUs: Micros;
  /** Its bytes are damaged: `memory` lacks them, and must not be taken for a copy. */
  readonly isDamaged?: boolean;
  /** Former states whose bytes are damaged: `past` lacks them. Absent: none. */
  readonly damagedStateCount?: number;
}

/** What a move of a hot memory has changed, and what must be so in its copy. */
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

/** How far the changes of a hot namespace have been followed. */
export interface MirrorPosition {
  /** Which life of the namespace: another one has other changes, such as after its store was emptied. */
  readonly epoch: string;
  readonly position: string;
}

/**
 * What is missing in a hot store of what was seen in it: all of it, its latest writes, or only entries of its change log that
 * tell what nothing else tells (`gap`). `unfollowed`: its latest writes, none of which had been followed. `damaged`: an entry
 * could not be read, and was passed by.
 */
export type HotLoss = 'flushed' | 'rolled_back' | 'unfollowed' | 'gap' | 'damaged';

/** An entry of the change log of a hot store. */
export interface HotEntry {
  /** Of the memory; nothing for `namespace_deleted`. */
  readonly id: string;
  /**
   * `released`: another store has taken the memory over. `namespace_deleted`: all that there was before, in the store below as well;
   * `namespace_emptied`: the same where nothing was left.
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
  /** Of the hot store; that of the state which it left, for `stored` and `updated`. */
  readonly revision: number;
  /** Of `moved`: absent where the memory came from another store, in the tier that it had there, or from a former version. */
  readonly step?: TierStep;
}

export interface HotChanges extends MirrorPosition {
  /** The namespace is in the hot store now. */
  readonly isThere: boolean;
  readonly revision: number;
  /** What happened since, in order. */
  readonly entries: readonly HotEntry[];
  /** What it happened to, as it is now, former states and all; without those that are gone. */
  readonly memories: readonly MirroredMemory[];
  /** In place of memories of which this instance knows that one entry says that they were moved, and the others nothing. */
  readonly moves: readonly MirroredMove[];
  readonly loss?: Exclude<HotLoss, 'gap' | 'damaged'>;
  /** Entries between the position and the first of these are gone: copies of all memories have to be looked at. */
  readonly isGapped: boolean;
  /** The first of them that are missing is there, and cannot be read. */
  readonly isDamaged?: boolean;
  readonly hasMore: boolean;
}
