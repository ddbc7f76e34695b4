import { readable } from '../../memory/checksum.ts';
import type { Clock } from '../../memory/clock.ts';
import { isDamage, MnemeError } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { isSameMemory } from '../changed-memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { Found, HotStore, Mirror } from '../mirror-store.ts';
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
/** An instant before any expiry: expired memories still exist, and have an owner. */
const ALWAYS = 0;

/**
 * Ownership of memories. The hot store owns every memory that it holds, and the cold store follows with a copy; the
 * cold store owns all others. So each memory has one owner at every instant, even if a process ends.
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
   * and the hot store releases memories with the same fields and checksums. Returns their ids.
   */
  async takeOverCopied(
    namespace: string,
    ids: readonly string[],
    isMeant: (memory: Memory) => boolean,
  ): Promise<string[]> {
    const { hot, cold, follower } = this.options;
    await follower.pastDetours(namespace);
    const released: string[] = [];
    for (let from = 0; from < ids.length; from += RELEASED_AT_ONCE) {
      const some = ids.slice(from, from + RELEASED_AT_ONCE);
      const kept = await readable(some, (few) => cold.get({ namespace, ids: few, view: 'full', nowUs: ALWAYS }));
      const memories = kept.memories.filter((memory) => memory !== undefined).filter(isMeant);
      if (memories.length > 0) released.push(...(await hot.releaseUnchanged({ namespace, memories })));
    }
    return released;
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
    const { hot, cold, follower } = this.options;
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
      const released = new Set(sound.length > 0 ? await hot.release({ namespace, copies: sound }) : []);
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
