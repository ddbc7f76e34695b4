import type { Micros, Tier } from '../../../memory/memory.ts';
import { type Decay, demotionScore, type TierPolicy, type TypeRule, tierBelow } from '../../../memory/tier-policy.ts';
import type { MembersRead, TierMember, TierTotal } from '../../../storage/tiers.ts';
import type { View } from '../../../storage/view.ts';
import { compare } from '../memories/list-memories.ts';
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
  /** Age factor × (1 − importance): above a limit the highest scores are moved first. */
  readonly score: number;
}

/** Maximum moves of one batch, and number of the tier's oldest members compared for it. */
const MOVED_AT_ONCE = 250;
const WEIGHED = 1000;
/** Maximum unconditional moves of one batch: at the end of each, parallel moves wait for the last one. */
const ALL_AT_ONCE = 500;

/** The memories to move out of a tier: first those past their time to live, then the highest scores above a limit. */
export class MovePlan {
  private readonly view: Pick<View, 'members'>;
  private readonly request: PlanRequest;
  private readonly gone: Set<string>;
  private readonly plannedOfType = new Map<string, number>();
  private count = 0;
  private bytes = 0;

  constructor(view: Pick<View, 'members'>, request: PlanRequest) {
    this.view = view;
    this.request = request;
    this.gone = new Set(request.without);
    for (const total of request.totals) {
      if (total.tier !== request.tier) continue;
      this.count += total.count;
      this.bytes += total.contentBytes;
    }
  }

  /** Batch after batch; none is returned twice, whether it was carried out or not. */
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
    const excess = () => held - (this.plannedOfType.get(type) ?? 0) - memoryLimit;
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

  /** While the tier exceeds its limit by `excess`: among its oldest members those with the highest scores. */
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
    const now = { nowUs, ...steps.of(member.agent), ttlUs };
    const score = demotionScore(member, policy.importance, now);
    return { member, to: this.to, reason, score };
  }

  private leave(moves: PlannedMove[]): PlannedMove[] {
    for (const { member } of moves) {
      this.gone.add(member.id);
      this.plannedOfType.set(member.type, (this.plannedOfType.get(member.type) ?? 0) + 1);
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
      agent,
      type,
      untilUs,
    };
    return new AgeOrder(this.view, read, arriving);
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

/** Inputs of the plan for one tier. */
interface PlanRequest {
  readonly namespace: string;
  readonly tier: 'short_term' | 'intermediate';
  /** Only memories of this agent. */
  readonly agent: string | undefined;
  readonly policy: TierPolicy;
  readonly steps: NewestSteps;
  /** Totals of the namespace, including arriving memories. */
  readonly totals: readonly TierTotal[];
  /** Memories that are to come to the tier but are not there yet: in a plan that is not carried out. */
  readonly arriving: readonly TierMember[];
  readonly nowUs: Micros;
  /** Moves everything, whatever the limits. */
  readonly flush: boolean;
  /** Set when memory is short: moves this many, whatever the limits, directly to long-term memory. */
  readonly relief?: Relief;
  /** Memories that are planned to be moved already. */
  readonly without: ReadonlySet<string>;
  /** Share of the round; the executor of a batch records its moves before the next one. Absent: unlimited. */
  readonly share?: MaintenanceShare;
}

export interface Relief {
  readonly reason: PressureReason;
  readonly count: number;
}

const READ_AT_ONCE = 500;

/** The members of a tier in ascending order of entry time, each read once, in pages. */
class AgeOrder {
  private readonly view: Pick<View, 'members'>;
  private readonly read: Omit<MembersRead, 'limit' | 'after'>;
  /** Members that will enter the tier and be last in it. */
  private readonly arriving: readonly TierMember[];
  private members: TierMember[] = [];
  private last: TierMember | undefined;
  private isAtEnd = false;

  constructor(
    view: Pick<View, 'members'>,
    read: Omit<MembersRead, 'limit' | 'after'>,
    arriving: readonly TierMember[] = [],
  ) {
    this.view = view;
    this.read = read;
    this.arriving = arriving;
  }

  /** The next `count` members that are not `gone`, or fewer at the end. They are returned again until they are gone. */
  async next(count: number, gone: { has(id: string): boolean }): Promise<readonly TierMember[]> {
    this.members = this.members.filter(({ id }) => !gone.has(id));
    while (this.members.length < count && !this.isAtEnd) {
      const found = await this.readOn();
      for (const member of found) if (!gone.has(member.id)) this.members.push(member);
    }
    return this.members.slice(0, count);
  }

  private async readOn(): Promise<readonly TierMember[]> {
    const after = this.last;
    const found = await this.view.members({ ...this.read, limit: READ_AT_ONCE, after });
    this.last = found.at(-1) ?? after;
    if (found.length === READ_AT_ONCE) return found;
    this.isAtEnd = true;
    return [...found, ...this.arriving.filter((member) => this.isMeant(member))];
  }

  private isMeant({ tier, agent, type, tierSinceUs }: TierMember): boolean {
    const { read } = this;
    if (tier !== read.tier) return false;
    if (read.untilUs !== undefined && tierSinceUs > read.untilUs) return false;
    return (read.agent ?? agent) === agent && (read.type ?? type) === type;
  }
}

/** Maximum moves of one namespace per reason, before other namespaces are served. */
export class MaintenanceShare {
  private readonly movesMax: number;
  private moved = 0;
  private wasCut = false;

  constructor(movesMax: number) {
    this.movesMax = movesMax;
  }

  /** Some was left for the next time. */
  get isCut(): boolean {
    return this.wasCut;
  }

  /** Starts the share of another reason: an endless one does not block the others. */
  begin(): void {
    this.moved = 0;
  }

  /** Counts actual moves: memories that cannot be moved do not count. */
  note(count: number): void {
    this.moved += count;
  }

  /** To be asked where there is more to move. */
  isUsedUp(): boolean {
    const isUsedUp = this.moved >= this.movesMax;
    this.wasCut ||= isUsedUp;
    return isUsedUp;
  }
}

/**
 * The newest step of each agent, where importance decays by steps: the reference for a memory's own step. Memories
 * without agent use the newest step of all.
 */
export class NewestSteps {
  private readonly view: Pick<View, 'list'>;
  private readonly namespace: string;
  private readonly decay: Decay;
  private readonly known = new Map<string, number | undefined>();

  constructor(view: Pick<View, 'list'>, namespace: string, decay: Decay) {
    this.view = view;
    this.namespace = namespace;
    this.decay = decay;
  }

  /** Reads unknown newest steps of the agents, one index entry each; does nothing where steps do not count. */
  async learn(agents: Iterable<string>, nowUs: Micros): Promise<void> {
    if (this.decay.per !== 'step' || this.decay.factor === 1) return;
    for (const agent of new Set(agents)) {
      if (!this.known.has(agent)) this.known.set(agent, await this.newestOf(agent, nowUs));
    }
  }

  /** In the form of `Now` of `importance.ts`. */
  of(agent: string): { readonly step?: number } {
    const step = this.known.get(agent);
    return step === undefined ? {} : { step };
  }

  private async newestOf(agent: string, nowUs: Micros): Promise<number | undefined> {
    const { memories } = await this.view.list({
      namespace: this.namespace,
      filter: agent === '' ? compare('step', 'greater_or_equal', 0) : compare('agent', 'equals', agent),
      order: 'step_desc',
      limit: 1,
      bytesMax: Number.MAX_SAFE_INTEGER,
      view: 'metadata',
      nowUs,
    });
    return memories[0]?.step;
  }
}
