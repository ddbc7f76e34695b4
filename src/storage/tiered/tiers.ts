import { isNamespaceMissing, isUnavailable, MnemeError } from '../../memory/errors.ts';
import { type Memory, TIERS, type Tier } from '../../memory/memory.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import { tierPolicyOf } from '../../memory/tier-settings.ts';
import type { HotStore, Mirror } from '../mirror-store.ts';
import type { MembersRead, MoveOutcome, MoveWrite, TierMember, TierStore, TierTotal } from '../tier-store.ts';
import { despiteLoss } from './despite-loss.ts';
import type { Follower } from './follower.ts';
import type { HomeLock } from './home-lock.ts';
import type { Homes } from './homes.ts';
import { raise } from './raise.ts';

export interface TieredTiersOptions {
  readonly hot: HotStore;
  readonly cold: TierStore & Mirror;
  readonly homes: Homes;
  readonly lock: HomeLock;
  readonly follower: Follower;
  readonly revision: () => number;
  /** Fails with NAMESPACE_NOT_FOUND. */
  readonly checkThere: (namespace: string) => Promise<unknown>;
  /** False while the memories of a namespace have to be at home in the cold store. */
  readonly mayRise: (namespace: string) => Promise<boolean>;
}

/**
 * Tiers over two stores. A memory that goes down to long-term memory gets its home in the cold store first; one that comes
 * up from there has its new tier first, and then its home in the hot store.
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
      // One that is at home in the cold store is found damaged when it is moved, and again when it is to rise.
      damagedIds: [...new Set([...outcome.damagedIds, ...damaged])],
    };
  }

  /**
   * Brings memories of the upper tiers home to the hot store: those that have been used while they were at home below. Where
   * it has no room they stay, until they are used again.
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
   * Those that came up get their home in the hot store, and so do those that had come up before and had not got it, such as
   * when the process ended in between. A refusal, as of a hot store that is full, leaves all where they were.
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
    const { cold, homes, follower, revision } = this.options;
    const { namespace, ids, from, atUs } = write;
    await this.options.checkThere(namespace);
    const isMeant = ({ tier, expiresAtUs = Infinity }: Memory) =>
      tier !== write.to && (!from || from.includes(tier)) && expiresAtUs > atUs;
    const goesBelow = write.to === 'long_term';
    const copied = new Set(goesBelow ? await homes.takeOverCopied(namespace, ids, isMeant) : []);
    const outcomes: MoveOutcome[] = goesBelow ? [] : await this.movesInHot(write);
    const settled = outcomes.flatMap(({ moved, damagedIds }) => [...moved.map(({ id }) => id), ...damagedIds]);
    const isInHot = settled.length > 0;
    const left = ids.filter((id) => !copied.has(id) && !settled.includes(id));
    const found = left.length > 0 ? await homes.hotOf(namespace, left) : new Map<string, Memory>();
    const hotIds = new Set(goesBelow ? [...found.values()].filter(isMeant).map(({ id }) => id) : []);
    // One that changes all the time is in use: the next move takes it, and the others go now.
    const { damagedIds, restlessIds } = await homes.takeOverMost(namespace, [...hotIds]);
    const stayed = new Set([...damagedIds, ...restlessIds]);
    const others = left.filter((id) => !found.has(id));
    const coldIds = others.length > 0 ? await homes.coldOf(namespace, others) : [];
    const takenOver = ids.filter((id) => copied.has(id) || (hotIds.has(id) && !stayed.has(id)));
    const inCold = [...takenOver, ...coldIds];
    if (inCold.length > 0) outcomes.push(await cold.move({ ...write, ids: inCold }));
    // What has left the hot store has nothing more to be copied.
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

  /** What the hot store does not have is passed over there, and so is all of a namespace that it does not have. */
  private async movesInHot(write: MoveWrite): Promise<MoveOutcome[]> {
    const { hot, follower } = this.options;
    await follower.pastDetours(write.namespace);
    try {
      return [await hot.tiers.move(write)];
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
