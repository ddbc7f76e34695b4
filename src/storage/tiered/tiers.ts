import { isSound } from '../../memory/checksum.ts';
import { isDamage, isNamespaceMissing, isUnavailable, MnemeError } from '../../memory/errors.ts';
import { type Embedding, type Memory, TIERS, type Tier } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import { hasSameBytes } from '../changed-memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type { MembersRead, MoveOutcome, MoveWrite, TierMember, TierStore, TierTotal } from '../tier-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { Ownership } from './ownership.ts';
import type { OwnershipLock } from './ownership-lock.ts';

export interface TieredTiersOptions {
  readonly hot: HotStore;
  readonly cold: TierStore & Mirror;
  readonly ownership: Ownership;
  readonly lock: OwnershipLock;
  readonly follower: Follower;
  readonly revision: () => number;
  /** Fails with NAMESPACE_NOT_FOUND. */
  readonly checkThere: (namespace: string) => Promise<unknown>;
  /** False while the cold store has to own the memories of a namespace. */
  readonly mayRise: (namespace: string) => Promise<boolean>;
}

/**
 * Tiers over two stores. For a move down to long-term memory, the cold store becomes the owner first; for a move up
 * from it, the tier changes first, and then the hot store becomes the owner.
 */
export class TieredTiers implements TierStore {
  private readonly options: TieredTiersOptions;

  constructor(options: TieredTiersOptions) {
    this.options = options;
  }

  move(write: MoveWrite): Promise<MoveOutcome> {
    return despiteLoss(this.options.follower, write.namespace, () => this.moveOnce(write));
  }

  private async moveOnce(write: MoveWrite): Promise<MoveOutcome> {
    const { lock, follower, revision } = this.options;
    const { namespace } = write;
    await follower.afterReaders(namespace);
    const { outcome, coldIds } = await lock.keep(namespace, () =>
      follower.moving(namespace, () => this.moveWhereTheyAre(write)),
    );
    const damaged = new Set(write.to === 'long_term' ? [] : await this.risen(write, outcome, coldIds));
    return {
      revision: revision(),
      moved: outcome.moved.filter(({ id }) => !damaged.has(id)),
      // A damaged memory of the cold store is detected in the move, and again when it is to pass to the hot store.
      damagedIds: [...new Set([...outcome.damagedIds, ...damaged])],
    };
  }

  /**
   * Passes memories of the upper tiers that were used while the cold store owned them to the hot store. If that is
   * full, they stay until they are used again.
   */
  async bringUp(namespace: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    try {
      await raise(this.raising, { namespace, ids, resolutionOf: await this.resolutions(namespace) });
    } catch (error) {
      if (!(error instanceof MnemeError) || error.reason !== 'STORAGE_FULL') throw error;
    }
  }

  private get raising() {
    const { hot, cold: mirror, follower, lock, mayRise } = this.options;
    return { hot, mirror, follower, lock, mayRise };
  }

  /**
   * Passes raised memories to the hot store, including earlier ones that did not get there, for example because the
   * process ended. A refusal, as by a full hot store, leaves all with their owners.
   */
  private async risen(
    write: MoveWrite,
    { moved }: MoveOutcome,
    coldIds: readonly string[],
  ): Promise<readonly string[]> {
    const { cold, lock } = this.options;
    const { namespace, to, resolution } = write;
    const sunk = new Set(moved.filter(({ from }) => TIERS.indexOf(from) < TIERS.indexOf(to)).map(({ id }) => id));
    const ids = coldIds.filter((id) => !sunk.has(id));
    if (ids.length === 0) return [];
    try {
      return await raise(this.raising, { namespace, ids, resolutionOf: () => resolution });
    } catch (error) {
      if (!(error instanceof MnemeError) || isUnavailable(error)) throw error;
      const resolutionOf = await this.resolutions(namespace);
      const risen = moved.filter(({ id }) => ids.includes(id));
      for (const [from, group] of Map.groupBy(risen, (one) => one.from)) {
        const back = { ...write, ids: group.map(({ id }) => id), to: from, from: [to] };
        await lock.keep(namespace, async () => cold.move({ ...back, resolution: resolutionOf(from) }));
      }
      throw error;
    }
  }

  private async resolutions(namespace: string): Promise<(tier: Tier) => Resolution> {
    const { cold } = this.options;
    const policy = tierPolicyOf(await cold.tierSettings(''), await cold.tierSettings(namespace));
    return (tier) => policy.rules[tier].resolution;
  }

  private async moveWhereTheyAre(write: MoveWrite): Promise<{ outcome: MoveOutcome; coldIds: string[] }> {
    const { cold, ownership, follower, revision } = this.options;
    const { namespace, ids, from, atUs } = write;
    await this.options.checkThere(namespace);
    const isMeant = ({ tier, expiresAtUs = Infinity }: Memory) =>
      tier !== write.to && (!from || from.includes(tier)) && expiresAtUs > atUs;
    const goesBelow = write.to === 'long_term';
    const copied = new Set(goesBelow ? await ownership.takeOverCopied(namespace, ids, isMeant) : []);
    const outcomes: MoveOutcome[] = goesBelow ? [] : await this.movesInHot(write);
    const settled = outcomes.flatMap(({ moved, damagedIds }) => [...moved.map(({ id }) => id), ...damagedIds]);
    const isInHot = settled.length > 0;
    const left = ids.filter((id) => !copied.has(id) && !settled.includes(id));
    const found = left.length > 0 ? await ownership.hotOf(namespace, left) : new Map<string, Memory>();
    const hotIds = new Set(goesBelow ? [...found.values()].filter(isMeant).map(({ id }) => id) : []);
    // A constantly changing memory is in use: the next move takes it, and the others go now.
    const { damagedIds, restlessIds } = await ownership.takeOverMost(namespace, [...hotIds]);
    const stayed = new Set([...damagedIds, ...restlessIds]);
    const others = left.filter((id) => !found.has(id));
    const coldIds = others.length > 0 ? await ownership.coldOf(namespace, others) : [];
    const takenOver = ids.filter((id) => copied.has(id) || (hotIds.has(id) && !stayed.has(id)));
    const inCold = [...takenOver, ...coldIds];
    if (inCold.length > 0) outcomes.push(await cold.move({ ...write, ids: inCold }));
    // A released memory has nothing more to copy.
    if (goesBelow) follower.wake(namespace);
    else if (isInHot) await follower.catchUp(namespace);
    const moved = new Map(outcomes.flatMap((outcome) => outcome.moved).map((one) => [one.id, one]));
    const outcome = {
      revision: revision(),
      moved: ids.flatMap((id) => moved.get(id) ?? []),
      damagedIds: [...damagedIds, ...outcomes.flatMap(({ damagedIds }) => damagedIds)],
    };
    return { outcome, coldIds: inCold };
  }

  /** Memories or namespaces that the hot store lacks are skipped there. */
  private async movesInHot(write: MoveWrite): Promise<MoveOutcome[]> {
    const { hot, follower } = this.options;
    await follower.pastDetours(write.namespace);
    try {
      return [await hot.move(write)];
    } catch (error) {
      if (isNamespaceMissing(error)) return [];
      throw error;
    }
  }

  async members(read: MembersRead): Promise<TierMember[]> {
    await this.options.follower.catchUp(read.namespace);
    return this.options.cold.members(read);
  }
  async totals(namespace?: string): Promise<TierTotal[]> {
    const { follower } = this.options;
    await (namespace === undefined ? follower.settled() : follower.catchUp(namespace));
    return this.options.cold.totals(namespace);
  }
  tierSettings(namespace: string): Promise<ReadonlyMap<string, string>> {
    return this.options.cold.tierSettings(namespace);
  }
  setTierSettings(write: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    return this.options.cold.setTierSettings(write);
  }
  setMaintained(write: Parameters<TierStore['setMaintained']>[0]): Promise<void> {
    return this.options.cold.setMaintained(write);
  }
  maintainedAtUs(namespace: string): Promise<number | undefined> {
    return this.options.cold.maintainedAtUs(namespace);
  }
}

export interface RaiseOptions {
  readonly hot: HotStore;
  readonly mirror: Mirror;
  readonly follower: Follower;
  readonly lock: OwnershipLock;
  /** False while the cold store has to own the memories of a namespace. */
  readonly mayRise: (namespace: string) => Promise<boolean>;
}

export interface RaiseRequest {
  readonly namespace: string;
  readonly ids: readonly string[];
  /** The form in which the tiers store them. */
  readonly resolutionOf: (tier: Tier) => Resolution;
}

const AT_ONCE = 100;

/**
 * Makes the hot store the owner of memories of its tiers that the cold store owns. They are copied completely and
 * verified by their checksum. From then on the hot store owns them, and the cold store has their copies. A differing
 * copy is released again. Returns the ids of damaged memories, which stay. Memories that the hot store owns already are
 * skipped.
 */
async function raise(options: RaiseOptions, request: RaiseRequest): Promise<string[]> {
  const { namespace, ids } = request;
  const damagedIds: string[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = { ...request, ids: ids.slice(from, from + AT_ONCE) };
    damagedIds.push(...(await options.lock.change(namespace, () => raiseSome(options, some))));
  }
  if (ids.length > 0) await options.follower.catchUp(namespace);
  return damagedIds;
}

async function raiseSome(
  { hot, mirror, follower, mayRise }: RaiseOptions,
  { namespace, ids, resolutionOf }: RaiseRequest,
): Promise<string[]> {
  if (!(await mayRise(namespace))) return [];
  await follower.catchUp(namespace);
  const damagedIds: string[] = [];
  const copies: MirroredMemory[] = [];
  for (const id of ids) {
    const copy = await copyOf(mirror, namespace, id);
    if (copy === 'damaged') damagedIds.push(id);
    else if (copy && copy.memory.tier !== 'long_term') {
      copies.push({ ...copy, resolution: resolutionOf(copy.memory.tier) });
    }
  }
  if (copies.length === 0) return damagedIds;
  const adoptedIds = await hot.adopt({ namespace, copies });
  const sent = new Map(copies.map((copy) => [copy.memory.id, copy]));
  const wrong = (await hot.copies({ namespace, ids: adoptedIds })).filter(
    (copy) => !isSame(copy, sent.get(copy.memory.id)),
  );
  if (wrong.length > 0) await hot.release({ namespace, copies: wrong });
  return [...damagedIds, ...wrong.map(({ memory }) => memory.id)];
}

async function copyOf(mirror: Mirror, namespace: string, id: string): Promise<MirroredMemory | 'damaged' | undefined> {
  try {
    const [copy] = await mirror.copies({ namespace, ids: [id] });
    return copy && !isSound(copy.memory) ? 'damaged' : copy;
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
}

/** As soon as it is there, other servers may change it. */
function isSame(copy: MirroredMemory, sent: MirroredMemory | undefined): boolean {
  if (!sent || copy.memory.revision !== sent.memory.revision) return true;
  return isSound(copy.memory) && hasSameValues(copy.memory.embedding, sent.memory.embedding);
}

function hasSameValues(one: Embedding | undefined, other: Embedding | undefined): boolean {
  if (!one || !other) return !other;
  return one.model === other.model && hasSameBytes(one.values, other.values);
}
