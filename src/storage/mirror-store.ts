import type { Memory, MemoryView, Micros } from '../memory/memory.ts';
import type { EmbeddingState } from './embedding-state.ts';
import type { HotChanges, HotEntry, MirroredMemory, MirroredMove, MirrorPosition } from './hot-log.ts';
import type { DeleteOutcome, DeleteWrite, RecordStore, StoreWrite, TouchWrite, WriteOutcome } from './memory-store.ts';
import type { Claim, MoveOutcome, MoveWrite } from './tier-store.ts';

/** Conditions that a write of the hot store checks in its transaction; otherwise it fails as `ownerChanged`. */
export interface HotCondition {
  /** No memory was handed over since this ownership was read (`Found.ownership`). */
  readonly ownership?: string;
  /** Memories that the store must hold, expired or not. */
  readonly heldIds?: readonly string[];
}

/**
 * A store that owns the memories of the upper tiers, and logs its changes. Lists, counts and sums are read from copies
 * of its memories.
 */
export interface HotStore extends RecordStore {
  readonly isAvailable: boolean;
  store(write: StoreWrite & HotCondition): Promise<WriteOutcome>;
  delete(write: DeleteWrite & HotCondition): Promise<DeleteOutcome>;
  touch(write: TouchWrite & HotCondition): Promise<{ revision: number }>;
  /** As `TierStore.move`. */
  move(write: MoveWrite): Promise<MoveOutcome>;
  /**
   * Deletes the namespace with all its data. Fails with NAMESPACE_NOT_EMPTY unless `force` while it holds unexpired
   * memories.
   */
  deleteNamespace(write: { readonly name: string; readonly force: boolean; readonly atUs: Micros }): Promise<void>;
  /** The ids of existing memories, expired or not; none in a missing namespace. */
  find(read: {
    readonly namespace: string;
    readonly ids: readonly string[];
    readonly view: MemoryView;
  }): Promise<Found>;
  /** Restores damaged memories from copies of the same states. Returns the ids of the restored ones. */
  repair(write: { readonly namespace: string; readonly copies: readonly MirroredMemory[] }): Promise<readonly string[]>;
  /** The changes since a position; without one, from the beginning. */
  changes(read: { readonly namespace: string; readonly since?: MirrorPosition }): Promise<HotChanges>;
  /**
   * Releases memories that another store has taken over; memories that have changed since they were copied stay.
   * Returns the ids of the released ones.
   */
  release(write: {
    readonly namespace: string;
    readonly copies: readonly MirroredMemory[];
  }): Promise<readonly string[]>;
  /**
   * Releases memories whose copies another store has read back in full view and verified, if they have no former
   * states, no pending vector, and the fields and checksums of the call. All others stay. Returns the ids of the
   * released ones.
   */
  releaseUnchanged(write: { namespace: string; memories: readonly Memory[] }): Promise<readonly string[]>;
  /**
   * Whether only moves by this instance happened between two revisions, at any server: by `tiers.move` or
   * `releaseUnchanged`.
   */
  hasOnlyMoved(read: { readonly namespace: string; readonly after: number; readonly through: number }): boolean;
  /**
   * Takes ownership of memories of another store, unchanged. Memories with an id in use stay out. Returns the ids of
   * the taken ones. Fails as `ownerChanged` after a handover since the ownership was read.
   */
  adopt(write: {
    readonly namespace: string;
    readonly copies: readonly MirroredMemory[];
    readonly ownership: string;
  }): Promise<readonly string[]>;
  /** `Found.ownership` as this instance last saw it; `undefined` where it has not seen the namespace. */
  seenOwnership(namespace: string): string | undefined;
  /** Ids of all memories of a namespace, in pages of any size. */
  allIds(namespace: string): AsyncIterable<string>;
  /**
   * To be called when losses are repaired: until then all calls fail, except `changes`, `copies`, `allIds` and
   * `release`.
   */
  recovered(namespace: string): void;
  /**
   * When it resolves, every earlier write without an answer either has taken effect or never will. The ownership is
   * another one then.
   */
  fence(namespace: string): Promise<void>;
  /** Complete copies of the existing memories. */
  copies(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<MirroredMemory[]>;
}

/** Copies of a hot store's memories, in another store. */
export interface Mirror {
  /**
   * Applies the entries to the copies, in order, in one transaction with the position. This store owns its long-term
   * memories: they stay, and another memory of the same id becomes a former state. `ownIds` returns such ids for the
   * other store to release; until then the position stays. It also stays where `moves` concern copies that differ in
   * more than the tier: these need complete copies (`lackingIds`).
   */
  mirror(write: MirrorWrite): Promise<MirrorOutcome>;
  /** `undefined` before the first write. */
  mirrorPosition(namespace: string): Promise<MirrorPosition | undefined>;
  /** Whether the log has the deletion of a namespace of the name. Scans the whole log, except in a view. */
  hadNamespace(name: string): Promise<boolean>;
  /** The ids of existing memories, copies or owned. */
  known(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<readonly string[]>;
  /** The ids with a followed entry in the log. Scans the whole log. */
  followedIds(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<readonly string[]>;
  /**
   * Refuses later writes of memories of the upper tiers that this store owns, and that are to be owned by the hot store:
   * writes with `mustOwn` fail. Memories of a namespace whose vectors are recomputed, and all others, are left out.
   */
  claim(write: { readonly namespace: string; readonly ids: readonly string[] }): Promise<readonly Claim[]>;
  /** This store owns the memories again, where no other claim or copy has followed. */
  disclaim(write: { readonly namespace: string; readonly claims: readonly Claim[] }): Promise<void>;
  /** The memories among these that the hot store owns, or may own. */
  ownerships(read: { readonly namespace: string; readonly ids: readonly string[] }): Promise<readonly Claim[]>;
  /** Ids of such memories of a namespace, at most `limit`. Scans the namespace. */
  hotOwnedIds(read: { readonly namespace: string; readonly limit: number }): Promise<readonly string[]>;
  /** Complete memories, copies or owned, that exist. */
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
  /** Instead of memories whose only entry is a move. Absent: none. */
  readonly moves?: readonly MirroredMove[];
  /** Present when the entries up to this revision are incomplete. */
  readonly completeFrom?: number;
  /**
   * Entries from this revision on are missing: readers of this store's log get a notice before the changes of this
   * write.
   */
  readonly gapFrom?: number;
  /** Lower limit of the store's revision after the write. */
  readonly revision: number;
  /** Lower limit of the revisions that the entries get in this store's log. Absent: none. */
  readonly revisionFloor?: number;
  /** The other store owns the memories of all tiers: none of this store's are its own. */
  readonly ownsAllTiers?: boolean;
  /** The namespace itself was changed in the other store: this store's log gets an entry of it, before the others. */
  readonly updatesNamespace?: boolean;
  readonly atUs: Micros;
}

/** The part of a memory that a move needs, with the state of its vector. */
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

/** The kind of the entry of memories with exactly one entry; `undefined` for the others. */
export function loneKinds(entries: readonly HotEntry[]): ReadonlyMap<string, HotEntry['kind'] | undefined> {
  const kinds = new Map<string, HotEntry['kind'] | undefined>();
  for (const { id, kind } of entries) kinds.set(id, kinds.has(id) ? undefined : kind);
  return kinds;
}

export interface Found {
  /** In the metadata view, damaged memories are included with their readable fields. */
  readonly memories: ReadonlyMap<string, Memory>;
  /** The ids of damaged memories. */
  readonly damagedIds: readonly string[];
  /** The damaged ids whose fields are unreadable as well. */
  readonly lostIds: readonly string[];
  readonly revision: number;
  readonly isThere: boolean;
  /** Another one after every handover of memories between this store and another; '' where the store has no data. */
  readonly ownership: string;
}
