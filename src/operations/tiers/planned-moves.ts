import { demotionScore } from '../../memory/importance.ts';
import type { Micros, Tier } from '../../memory/memory.ts';
import { type TypeRule, tierBelow } from '../../memory/tier-policy.ts';
import type { TierMember, TierStore } from '../../storage/tier-store.ts';
import { AgeOrder } from './age-order.ts';
import type { PlanRequest } from './plan-request.ts';
import type { PressureReason } from './relief-pass.ts';

/** Why a memory is moved down. */
export type MoveReason =
  | 'ttl'
  | 'memory_limit'
  | 'bytes_limit'
  | 'type_ttl'
  | 'type_memory_limit'
  | 'flush'
  | PressureReason;

export interface PlannedMove {
  readonly member: TierMember;
  readonly to: Tier;
  readonly reason: MoveReason;
  /** Age factor × (1 − importance): of those over a limit the highest go first. */
  readonly score: number;
}

/** Moves of one batch, and members that are weighed against each other for it: those longest in the tier. */
const MOVED_AT_ONCE = 250;
const WEIGHED = 1000;
/** Moves of one batch of what goes in any case: at the end of each some wait for the last of them. */
const ALL_AT_ONCE = 500;

/** What has to leave a tier: first what has been there for too long, then the worst of what is over a limit. */
export class MovePlan {
  private readonly tiers: Pick<TierStore, 'members'>;
  private readonly request: PlanRequest;
  private readonly gone: Set<string>;
  private readonly goneOfType = new Map<string, number>();
  private count = 0;
  private bytes = 0;

  constructor(tiers: Pick<TierStore, 'members'>, request: PlanRequest) {
    this.tiers = tiers;
    this.request = request;
    this.gone = new Set(request.without);
    for (const total of request.totals) {
      if (total.tier !== request.tier) continue;
      this.count += total.count;
      this.bytes += total.contentBytes;
    }
  }

  /** Batch after batch; none is told of twice, whether it was carried out or not. */
  async *batches(): AsyncGenerator<PlannedMove[]> {
    const { policy, tier, flush, relief, nowUs } = this.request;
    const { ttlUs, memoryLimit, bytesLimit } = policy.rules[tier];
    const types = this.movableTypes();
    if (flush) {
      for (const type of types) yield* this.all(this.order(type), 'flush');
      return;
    }
    if (relief) {
      const least = this.count - relief.count;
      const all = types.map((type) => this.order(type));
      yield* this.worst(all, relief.reason, () => this.count - least);
      return;
    }
    for (const rule of policy.types) if (rule.tier === tier && this.mayMove(rule.type)) yield* this.byType(rule);
    if (ttlUs !== undefined) for (const type of types) yield* this.all(this.order(type, nowUs - ttlUs), 'ttl');
    const orders = types.map((type) => this.order(type));
    if (memoryLimit > 0) yield* this.worst(orders, 'memory_limit', () => this.count - memoryLimit);
    if (bytesLimit > 0) yield* this.worst(orders, 'bytes_limit', () => (this.bytes > bytesLimit ? 1 : 0));
  }

  private async *byType({ type, ttlUs, memoryLimit }: TypeRule): AsyncGenerator<PlannedMove[]> {
    const { totals, tier, nowUs } = this.request;
    if (ttlUs !== undefined) yield* this.all(this.order(type, nowUs - ttlUs), 'type_ttl');
    if (memoryLimit === 0) return;
    const held = totals.reduce((sum, total) => sum + (total.tier === tier && total.type === type ? total.count : 0), 0);
    const excess = () => held - (this.goneOfType.get(type) ?? 0) - memoryLimit;
    yield* this.worst([this.order(type)], 'type_memory_limit', excess);
  }

  private async *all(order: AgeOrder, reason: MoveReason): AsyncGenerator<PlannedMove[]> {
    const { share } = this.request;
    share?.begin();
    for (;;) {
      const members = await order.next(ALL_AT_ONCE, this.gone);
      if (members.length === 0 || share?.isUsedUp()) return;
      yield this.leave(await this.moves(members, reason));
    }
  }

  /** While there are `excess` too many: of those longest in the tier the ones with the highest scores. */
  private async *worst(
    orders: readonly AgeOrder[],
    reason: MoveReason,
    excess: () => number,
  ): AsyncGenerator<PlannedMove[]> {
    const { share } = this.request;
    share?.begin();
    while (excess() > 0 && !share?.isUsedUp()) {
      const weighed: PlannedMove[] = [];
      for (const order of orders) {
        const members = await order.next(Math.ceil(WEIGHED / orders.length), this.gone);
        weighed.push(...(await this.moves(members, reason)));
      }
      if (weighed.length === 0) return;
      weighed.sort(
        (a, b) => b.score - a.score || a.member.tierSinceUs - b.member.tierSinceUs || a.member.tie - b.member.tie,
      );
      const batch: PlannedMove[] = [];
      for (const move of weighed.slice(0, MOVED_AT_ONCE)) {
        if (excess() <= 0) break;
        batch.push(...this.leave([move]));
      }
      yield batch;
    }
  }

  private async moves(members: readonly TierMember[], reason: MoveReason): Promise<PlannedMove[]> {
    const { steps, nowUs } = this.request;
    await steps.learn(
      members.map(({ agent }) => agent),
      nowUs,
    );
    return members.map((member) => this.move(member, reason));
  }

  private move(member: TierMember, reason: MoveReason): PlannedMove {
    const { policy, nowUs, tier, steps } = this.request;
    const { ttlUs } = policy.rules[tier];
    const now = { nowUs, ...steps.of(member.agent), ...(ttlUs === undefined ? {} : { ttlUs }) };
    const score = demotionScore(member, policy.importance, now);
    return { member, to: this.to, reason, score };
  }

  private leave(moves: PlannedMove[]): PlannedMove[] {
    for (const { member } of moves) {
      this.gone.add(member.id);
      this.goneOfType.set(member.type, (this.goneOfType.get(member.type) ?? 0) + 1);
      this.count--;
      this.bytes -= member.contentBytes;
    }
    return moves;
  }

  private order(type: string | undefined, untilUs?: Micros): AgeOrder {
    const { namespace, tier, agent, arriving } = this.request;
    const read = {
      namespace,
      tier,
      ...(agent === undefined ? {} : { agent }),
      ...(type === undefined ? {} : { type }),
      ...(untilUs === undefined ? {} : { untilUs }),
    };
    return new AgeOrder(this.tiers, read, arriving);
  }

  private get to(): Tier {
    return this.request.tier === 'short_term' && !this.request.relief ? 'intermediate' : 'long_term';
  }

  private mayMove(type: string): boolean {
    return tierBelow(this.request.tier, type, this.request.policy) !== undefined;
  }

  /** `undefined` for all in one; one after the other where some types have to stay. */
  private movableTypes(): readonly (string | undefined)[] {
    const { policy } = this.request;
    return this.to === 'intermediate' || policy.longTermTypes.length === 0 ? [undefined] : policy.longTermTypes;
  }
}
