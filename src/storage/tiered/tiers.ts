import type { HotStore } from '../mirror-store.ts';
import type { MembersRead, MoveOutcome, MoveWrite, TierMember, TierStore, TierTotal } from '../tier-store.ts';
import type { Follower } from './follower.ts';
import type { Homes } from './homes.ts';

export interface TieredTiersOptions {
  readonly hot: HotStore;
  readonly cold: TierStore;
  readonly homes: Homes;
  readonly follower: Follower;
  readonly revision: () => number;
}

/** Tiers over two stores. A memory that goes down to long-term memory gets its home in the cold store first. */
export class TieredTiers implements TierStore {
  private readonly options: TieredTiersOptions;

  constructor(options: TieredTiersOptions) {
    this.options = options;
  }

  async move(write: MoveWrite): Promise<MoveOutcome> {
    const { hot, cold, homes, follower, revision } = this.options;
    const { namespace, ids, from, atUs } = write;
    // Fails where the namespace is not there.
    await cold.totals(namespace);
    const found = await homes.hotOf(namespace, ids);
    const meant = [...found.values()].filter(
      ({ tier, expiresAtUs = Infinity }) => tier !== write.to && (!from || from.includes(tier)) && expiresAtUs > atUs,
    );
    const hotIds = meant.map(({ id }) => id);
    const damaged = new Set<string>();
    const outcomes: MoveOutcome[] = [];
    if (write.to === 'long_term') {
      for (const id of await homes.takeOver(namespace, hotIds)) damaged.add(id);
    } else if (hotIds.length > 0) outcomes.push(await hot.tiers.move({ ...write, ids: hotIds }));
    const isLeft = (id: string) =>
      hotIds.includes(id) ? write.to === 'long_term' && !damaged.has(id) : !found.has(id);
    const left = ids.filter(isLeft);
    const coldIds = left.length > 0 ? await homes.coldOf(namespace, left) : [];
    if (coldIds.length > 0) outcomes.push(await cold.move({ ...write, ids: coldIds }));
    if (hotIds.length > 0) await follower.catchUp(namespace);
    const moved = new Map(outcomes.flatMap((outcome) => outcome.moved).map((one) => [one.id, one]));
    return {
      revision: revision(),
      moved: ids.flatMap((id) => moved.get(id) ?? []),
      damagedIds: [...damaged, ...outcomes.flatMap(({ damagedIds }) => damagedIds)],
    };
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
