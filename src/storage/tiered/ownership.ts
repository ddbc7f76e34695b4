import { readable } from '../../memory/checksum.ts';
import type { Clock } from '../../memory/clock.ts';
import { isDamage, isOwnerChanged, MnemeError } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { isSameMemory } from '../changed-memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { Found, HotStore, Mirror } from '../mirror-store.ts';
import type { Claim } from '../tier-store.ts';
import type { Follower } from './follower.ts';

export interface OwnershipOptions {
  readonly hot: HotStore;
  readonly cold: MemoryStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
  readonly clock: Clock;
}

/** Ids of memories that were not released. */
interface Stayed {
  readonly damagedIds: readonly string[];
  readonly restlessIds: readonly string[];
}

const RELEASED_AT_ONCE = 250;
const ROUNDS_MAX = 20;
/** How often a write looks for the owner of its memories: each time, another write or move has taken effect. */
const LOOKS_MAX = 20;
const SETTLED_AT_ONCE = 500;
/** An instant before any expiry: expired memories still exist, and have an owner. */
const ALWAYS = 0;

/**
 * Ownership of memories. The hot store owns every memory that it holds, and the cold store follows with a copy; the
 * cold store owns all others. So each memory has one owner at every instant, even if a process ends.
 *
 * Writes are conditional on the owner (`OwnerCondition`, `HotCondition`), in the transaction that makes them. The cold
 * store refuses writes of memories that are marked as owned by the hot store: copies, and memories that it has claimed
 * for the hot store before that adopts them. The hot store refuses to adopt, and to store new memories, after a handover
 * since the owners were looked up. A refused write looks again.
 */
export class Ownership {
  private readonly options: OwnershipOptions;

  constructor(options: OwnershipOptions) {
    this.options = options;
  }

  /**
   * The ids that the hot store owns, and the readable parts of memories that are damaged there and cannot be repaired.
   */
  async hotOf(namespace: string, ids: readonly string[]): Promise<ReadonlyMap<string, Memory>> {
    await this.options.follower.pastDetours(namespace);
    const { memories } = await findRepaired(this.options, { namespace, ids, view: 'metadata' });
    return memories;
  }

  /** Ownership of the namespace by the hot store, as `Found.ownership`. It may be an older one: writes are refused then. */
  async seen(namespace: string): Promise<string> {
    const { hot } = this.options;
    return hot.seenOwnership(namespace) ?? (await hot.find({ namespace, ids: [], view: 'metadata' })).ownership;
  }

  /** Runs a write of memories, and again while their owners change before it takes effect. */
  async lookingAgain<T>(namespace: string, ids: readonly string[], work: () => Promise<T>): Promise<T> {
    for (let looks = 0; looks < LOOKS_MAX; looks++) {
      try {
        return await work();
      } catch (error) {
        if (!isOwnerChanged(error)) throw error;
      }
      await this.settle(namespace, ids);
    }
    const name = `namespaces/${namespace}`;
    throw new MnemeError('OVERLOADED', `memories of ${name} change their store faster than they can be written`);
  }

  /**
   * Makes the cold store the owner of memories that are marked as the hot store's, but are not there: they were released
   * or lost, or their move up has not finished. Returns their ids.
   */
  async settle(namespace: string, ids: readonly string[]): Promise<readonly string[]> {
    const { hot, mirror, follower } = this.options;
    let claims = ids.length > 0 ? await mirror.ownerships({ namespace, ids }) : [];
    const dropHeld = async () => {
      const claimedIds = claims.map(({ id }) => id);
      if (claimedIds.length === 0) return;
      const { memories } = await hot.find({ namespace, ids: claimedIds, view: 'metadata' });
      claims = claims.filter(({ id }) => !memories.has(id));
    };
    await dropHeld();
    if (claims.length === 0) return [];
    // A move up that has begun is refused from now on, or is done.
    await hot.fence(namespace);
    await dropHeld();
    if (claims.length === 0) return [];
    // Deletes the copies of deleted memories.
    await follower.catchUp(namespace);
    await mirror.disclaim({ namespace, claims });
    return claims.map(({ id }) => id);
  }

  /** The same for all memories of a namespace. */
  async settleAll(namespace: string): Promise<void> {
    const { mirror } = this.options;
    for (let freed = true; freed; ) {
      const ids = await mirror.hotOwnedIds({ namespace, limit: SETTLED_AT_ONCE });
      freed = (await this.settle(namespace, ids)).length > 0;
    }
  }

  /** Makes the cold store the owner of memories that the caller deletes from the hot store. */
  async disown(namespace: string, ids: readonly string[]): Promise<void> {
    const { mirror } = this.options;
    if (ids.length > 0) await mirror.disclaim({ namespace, claims: await mirror.ownerships({ namespace, ids }) });
  }

  /** The ids that the cold store owns. */
  async coldOf(namespace: string, ids: readonly string[]): Promise<string[]> {
    const { hot, mirror, follower } = this.options;
    const known = await mirror.known({ namespace, ids });
    if (known.length === 0) return [];
    await follower.pastDetours(namespace);
    const { memories, revision } = await hot.find({ namespace, ids: known, view: 'metadata' });
    const others = known.filter((id) => !memories.has(id));
    if (others.length === 0 || revision === 0 || follower.hasReached(namespace, revision)) return others;
    // The copy of a memory that was deleted in the hot store may still be there.
    await follower.catchUp(namespace);
    return [...(await mirror.known({ namespace, ids: others }))];
  }

  /**
   * Makes the cold store the owner of the memories with up-to-date copies, which are most: the copies are read back,
   * and the hot store releases memories with the same fields and checksums. Returns their ids, and the ownerships that
   * the caller has to end with its write.
   */
  async takeOverCopied(
    namespace: string,
    ids: readonly string[],
    isMeant: (memory: Memory) => boolean,
  ): Promise<{ readonly ids: readonly string[]; readonly claims: readonly Claim[] }> {
    const { hot, cold, mirror, follower } = this.options;
    await follower.pastDetours(namespace);
    const released: string[] = [];
    const ended: Claim[] = [];
    for (let from = 0; from < ids.length; from += RELEASED_AT_ONCE) {
      const some = ids.slice(from, from + RELEASED_AT_ONCE);
      const kept = await readable(some, (few) => cold.get({ namespace, ids: few, view: 'full', nowUs: ALWAYS }));
      const memories = kept.memories.filter((memory) => memory !== undefined).filter(isMeant);
      if (memories.length === 0) continue;
      const claims = await mirror.ownerships({ namespace, ids: memories.map(({ id }) => id) });
      const releasedIds = new Set(await hot.releaseUnchanged({ namespace, memories }));
      released.push(...releasedIds);
      ended.push(...claims.filter(({ id }) => releasedIds.has(id)));
    }
    return { ids: released, claims: ended };
  }

  /**
   * Makes the cold store the owner of memories: their copies are updated and read back, and only then does the hot
   * store release the unchanged ones. Returns the ids of damaged memories, which stay. Fails with OVERLOADED when a
   * memory changes constantly.
   */
  async takeOver(namespace: string, ids: readonly string[]): Promise<readonly string[]> {
    const { damagedIds, restlessIds } = await this.takeOverMost(namespace, ids);
    if (restlessIds.length > 0) throw new MnemeError('OVERLOADED', 'memories change faster than they can be moved');
    return damagedIds;
  }

  /** The same, but constantly changing memories stay. */
  async takeOverMost(namespace: string, ids: readonly string[]): Promise<Stayed> {
    const damagedIds: string[] = [];
    const restlessIds: string[] = [];
    for (let from = 0; from < ids.length; from += RELEASED_AT_ONCE) {
      const stayed = await this.takeOverSome(namespace, ids.slice(from, from + RELEASED_AT_ONCE));
      damagedIds.push(...stayed.damagedIds);
      restlessIds.push(...stayed.restlessIds);
    }
    return { damagedIds, restlessIds };
  }

  /**
   * Writes damaged copies anew, from intact memories of the hot store. False when there are none among them.
   */
  async repairCopies(namespace: string, ids: readonly string[]): Promise<boolean> {
    const { hot, mirror, follower, clock } = this.options;
    const hotIds = [...(await this.hotOf(namespace, ids)).keys()];
    if (hotIds.length === 0) return false;
    return follower.undisturbed(namespace, async () => {
      const position = await mirror.mirrorPosition(namespace);
      const memories = (await hot.copies({ namespace, ids: hotIds })).filter(({ isDamaged }) => !isDamaged);
      if (!position || memories.length === 0) return false;
      await mirror.mirror({ namespace, ...position, entries: [], memories, revision: 0, atUs: clock.nowUs() });
      return true;
    });
  }

  private async takeOverSome(namespace: string, ids: readonly string[]): Promise<Stayed> {
    const { hot, cold, mirror, follower } = this.options;
    let left = ids;
    let damagedIds: string[] = [];
    for (let round = 0; left.length > 0 && round < ROUNDS_MAX; round++) {
      // Most copies are up to date: outdated ones differ.
      if (round > 0) await follower.catchUp(namespace);
      const copies = await hot.copies({ namespace, ids: left });
      const copied = copies.map(({ memory }) => memory.id);
      if (round === 0) await repairHot(this.options, namespace, damagedIn(copies));
      const kept = await readable(copied, (some) => cold.get({ namespace, ids: some, view: 'full', nowUs: ALWAYS }));
      if (round === 0 && kept.damagedIds.length > 0) await this.repairCopies(namespace, kept.damagedIds);
      const lost = await withoutPast(
        cold,
        namespace,
        copies.filter((_, at) => kept.memories[at]),
      );
      const damaged = copies.filter(
        (copy) => copy.isDamaged || kept.damagedIds.includes(copy.memory.id) || lost.has(copy),
      );
      const sound = copies.filter(
        (copy, at) => !damaged.includes(copy) && isSameMemory(kept.memories[at], copy.memory),
      );
      const claims = await mirror.ownerships({ namespace, ids: sound.map(({ memory }) => memory.id) });
      const released = new Set(sound.length > 0 ? await hot.release({ namespace, copies: sound }) : []);
      if (released.size > 0) await mirror.disclaim({ namespace, claims: claims.filter(({ id }) => released.has(id)) });
      left = copied.filter((id) => !released.has(id));
      damagedIds = damaged.map(({ memory }) => memory.id);
      if (round > 0 && left.every((id) => damagedIds.includes(id))) return { damagedIds: left, restlessIds: [] };
    }
    return { damagedIds, restlessIds: left.filter((id) => !damagedIds.includes(id)) };
  }
}

function damagedIn(copies: readonly MirroredMemory[]): string[] {
  return copies.flatMap(({ memory, isDamaged }) => (isDamaged ? [memory.id] : []));
}

/** Memories with former states that are damaged in the hot store, and that the cold one has not copied in time. */
async function withoutPast(
  cold: MemoryStore,
  namespace: string,
  copies: readonly MirroredMemory[],
): Promise<Set<MirroredMemory>> {
  const lost = new Set<MirroredMemory>();
  for (const copy of copies) {
    const { memory, past, damagedStateCount = 0 } = copy;
    if (damagedStateCount === 0) continue;
    const count = past.length + damagedStateCount + 1;
    const states = await cold.revisions({ namespace, id: memory.id, limit: count, nowUs: ALWAYS });
    if (states.length < count || states.some(({ isDamaged }) => isDamaged)) lost.add(copy);
  }
  return lost;
}

interface Stores {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
}

/** The memories of the hot store: damaged ones are repaired first, if possible. */
export async function findRepaired(stores: Stores, read: Parameters<HotStore['find']>[0]): Promise<Found> {
  const found = await stores.hot.find(read);
  return (await repairHot(stores, read.namespace, found.damagedIds)) ? stores.hot.find(read) : found;
}

/**
 * Repairs memories that are damaged in the hot store from copies that are intact and of the same state. False when none
 * was repaired.
 */
async function repairHot(
  { hot, mirror, follower }: Stores,
  namespace: string,
  ids: readonly string[],
): Promise<boolean> {
  if (ids.length === 0) return false;
  // The last writes before the damage may not have been copied yet.
  await follower.catchUp(namespace);
  const copies: MirroredMemory[] = [];
  for (const id of ids) {
    try {
      copies.push(...(await mirror.copies({ namespace, ids: [id] })));
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  if (copies.length === 0) return false;
  const repaired = await hot.repair({ namespace, copies });
  follower.wake(namespace);
  return repaired.length > 0;
}
