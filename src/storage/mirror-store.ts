import type { Memory, MemoryView, Micros } from '../memory/memory.ts';
import type { EmbeddingState } from './embedding-state.ts';
import type { HotChanges, HotEntry, MirroredMemory, MirroredMove, MirrorPosition } from './hot-log.ts';
import type { RecordStore } from './memory-store.ts';
import type { MoveOutcome, MoveWrite } from './tier-store.ts';

/**
 * A store that owns the memories of the upper tiers, and logs its changes. What is listed, counted and summed is
 * read from the copies of them.
 */
export interface HotStore extends RecordStore {
  readonly isAvailable: boolean;
  /** As `TierStore.move`. */
  move(write: MoveWrite): Promise<MoveOutcome>;
  /** Nothing of the namespace is left. Fails with NAMESPACE_NOT_EMPTY unless `force` while it holds memories that have not expired. */
  deleteNamespace(write: { readonly name: string; readonly force: boolean; readonly atUs: Micros }): Promise<void>;
  /** Those that are there, expired or not; none where the namespace is not. */
  find(read: {
    readonly namespace: string;
    readonly ids: readonly string[];
    readonly view: MemoryView;
  }): Promise<Found>;
  /** Writes damaged memories anew from copies of the very states that are lost. Gives the ids of those. */
  repair(write: { readonly namespace: string; readonly copies: readonly MirroredMemory[] }): Promise<readonly string[]>;
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
  /**
   * Lets go of memories whose copies another store has read back in full view and found sound: of those that never were
   * otherwise, wait for no vector, and have the fields and checksums given. All others stay. Gives the ids of those gone.
   */
  releaseUnchanged(write: { namespace: string; memories: readonly Memory[] }): Promise<readonly string[]>;
  /**
   * Whether between two revisions nothing has happened, by any server, but moves that were asked of this
   * instance: with `tiers.move` or `releaseUnchanged`.
   */
  hasOnlyMoved(read: { readonly namespace: string; readonly after: number; readonly through: number }): boolean;
  /**
   * Takes ownership of memories of another store, as they are there: once it has them, they are
   * home here. Those whose id is taken already stay out. Gives the ids of those that came in.
   */
  adopt(write: { readonly namespace: string; readonly copies: readonly MirroredMemory[] }): Promise<readonly string[]>;
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
   * Does what the entries tell to the copies, one after the other, in one step with the position. Memories that this store
   * has in long-term memory are its own: they stay, and another of the same id becomes a former state of it. Their ids are
   * given back for the other store to let go of, and until it has done so the position stays. So it does where moves were given
   * of memories whose copies are not as they are but for the tier: it takes whole copies of these (`lackingIds`).
   */
  mirror(write: MirrorWrite): Promise<MirrorOutcome>;
  /** `undefined` before the first. */
  mirrorPosition(namespace: string): Promise<MirrorPosition | undefined>;
  /** Those of the ids that are there, copies or owned. */
  known(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<readonly string[]>;
  /** Those of the ids that a followed entry was about, as far back as the log goes. Scans all of it. */
  followedIds(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<readonly string[]>;
  /** Whole memories, copies or owned, of those that are there. */
  copies(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<MirroredMemory[]>;
}

export interface MirrorOutcome {
  readonly revision: number;
  readonly ownIds: readonly string[];
  readonly lackingIds: readonly string[];
}

export interface MirrorWrite extends MirrorPosition {
  readonly namespace: string;
  readonly entries: readonly HotEntry[];
  readonly memories: readonly MirroredMemory[];
  /** In place of the memories that one of the entries is about, and says that they were moved. Absent: none. */
  readonly moves?: readonly MirroredMove[];
  /** Given when the entries up to this revision are not complete. */
  readonly completeFrom?: number;
  /** Entries from this revision on are missing: readers of this store's log are notified, before all that this write does. */
  readonly gapFrom?: number;
  /** The store's revision is this one at least when it is done. */
  readonly revision: number;
  readonly atUs: Micros;
}

/** What an entry has of a memory that was only moved, with the state of its vector. */
export function moveOf(
  { memory, tierSinceUs, resolution }: Pick<MirroredMemory, 'memory' | 'tierSinceUs' | 'resolution'>,
  embedding: EmbeddingState,
): MirroredMove {
  const { id, revision, tier, retrievalCount, lastAccessedAtUs } = memory;
  return {
    id,
    revision,
    embedding,
    tier,
    tierSinceUs,
    retrievalCount,
    ...(lastAccessedAtUs !== undefined && { lastAccessedAtUs }),
    ...(resolution && { resolution }),
  };
}

/** The kind of the entry of memories with one entry; nothing of those with several. */
export function loneKinds(entries: readonly HotEntry[]): ReadonlyMap<string, HotEntry['kind'] | undefined> {
  const kinds = new Map<string, HotEntry['kind'] | undefined>();
  for (const { id, kind } of entries) kinds.set(id, kinds.has(id) ? undefined : kind);
  return kinds;
}

export interface Found {
  /** In the view of metadata also what is known of those that are damaged: they are there. */
  readonly memories: ReadonlyMap<string, Memory>;
  /** Those of the ids whose memories cannot be read as they were stored. */
  readonly damagedIds: readonly string[];
  /** Those of them of whose own bytes not even the fields can be read. */
  readonly lostIds: readonly string[];
  readonly revision: number;
  readonly isThere: boolean;
}
