import type { Memory, MemoryView, Micros } from '../memory/memory.ts';
import type { Resolution } from '../memory/resolution/resolution.ts';
import type { MemoryStore } from './memory-store.ts';
import type { CopiedMemory, TierStore } from './tier-store.ts';

/** A memory with all that its store knows of it, and how its tier keeps it. */
export interface MirroredMemory extends CopiedMemory {
  readonly resolution?: Resolution;
  /** When its vector may be computed, where it waits for one. */
  readonly notBeforeUs: Micros;
  /** Its bytes are damaged: `memory` lacks them, and must not be taken for a copy. */
  readonly isDamaged?: true;
}

/** How far the changes of a hot namespace have been followed. */
export interface MirrorPosition {
  /** Which life of the namespace: another one has other changes, such as after its store was emptied. */
  readonly epoch: string;
  readonly position: string;
}

/**
 * What is missing in a hot store of what was seen in it: all of it, its latest writes, or only the entries of its change log
 * between the position and now.
 */
export type HotLoss = 'flushed' | 'rolled_back' | 'gap';

export interface HotChanges extends MirrorPosition {
  readonly revision: number;
  /** What has changed since, as it is now. */
  readonly memories: readonly MirroredMemory[];
  readonly deletedIds: readonly string[];
  /** At which revision each of them changed: entries of the copies get no earlier one. */
  readonly revisions: ReadonlyMap<string, number>;
  readonly loss?: HotLoss;
  readonly hasMore: boolean;
}

/** A store that holds the memories that are in use, and tells what has changed in it. */
export interface HotStore extends MemoryStore {
  readonly tiers: TierStore;
  readonly isAvailable: boolean;
  /** Those that are there, expired or not; none where the namespace is not. */
  find(read: {
    readonly namespace: string;
    readonly ids: readonly string[];
    readonly view: MemoryView;
  }): Promise<{ readonly memories: ReadonlyMap<string, Memory>; readonly revision: number; readonly isThere: boolean }>;
  /** What has changed since a position; from the beginning without one. */
  changes(read: { readonly namespace: string; readonly since?: MirrorPosition }): Promise<HotChanges>;
  /**
   * Lets go of memories that another store has taken over; those that are no longer as they were copied stay. Gives the
   * ids of those that are gone.
   */
  release(write: {
    readonly namespace: string;
    readonly copies: readonly MirroredMemory[];
  }): Promise<readonly string[]>;
  /** Ids of all memories of a namespace, in pages of any size. */
  allIds(namespace: string): AsyncIterable<string>;
  /** To be called when what was lost has been made good: until then it fails, but for `changes`, `copies`, `allIds` and `release`. */
  recovered(namespace: string): void;
  /** When it resolves, every write that failed before without an answer either has taken effect or never will. */
  fence(namespace: string): Promise<void>;
  /** Whole copies of those that are there. */
  copies(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<MirroredMemory[]>;
}

/** Copies of what a hot store has, kept in another store. */
export interface Mirror {
  /**
   * Brings copies to the state given and erases what was deleted, in one step with the position. Memories that this store
   * has in long-term memory are its own: they stay, and another of the same id becomes a former state of it. Their ids are
   * given back for the other store to let go of, and until it has done so the position stays.
   */
  mirror(write: MirrorWrite): Promise<{ readonly revision: number; readonly ownIds: readonly string[] }>;
  /** `undefined` before the first. */
  mirrorPosition(namespace: string): Promise<MirrorPosition | undefined>;
}

export interface MirrorWrite extends MirrorPosition {
  readonly namespace: string;
  readonly memories: readonly MirroredMemory[];
  readonly deletedIds: readonly string[];
  readonly revisions: ReadonlyMap<string, number>;
  /** The store's revision is this one at least when it is done. */
  readonly revision: number;
  readonly atUs: Micros;
}
