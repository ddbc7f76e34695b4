import { MnemeError } from '../../memory/errors.ts';
import type { Verb } from '../../memory/principal.ts';
import { type AppliedLimits, type AppliedRate, entriesOf, limitsOf, Usage } from './applied-limits.ts';
import { type CountLimit, type LimitRule, type StoredLimit, unitOf } from './limit-rules.ts';

/** Most identities with a remembered use of limits. Beyond it, the identity with the oldest call is forgotten. */
export const IDENTITIES_MAX = 10_000;
/** Pause of a caller that had too many calls in flight. */
const IN_FLIGHT_RETRY_MS = 100;

interface QuotaParts {
  /** The verb that a method needs; `undefined`: none. */
  readonly verbOf: (method: string) => Verb | undefined;
  /** A clock that never goes back. */
  readonly nowMs?: () => number;
  readonly identitiesMax?: number;
}

interface LimitedCall {
  readonly principal: { readonly identity: string };
  readonly method: string;
  readonly isStream: boolean;
}

/** A limit of stored data, as it was when a write exceeded it. */
interface StoredExcess {
  readonly rule: Pick<LimitRule, 'name' | 'isShared'>;
  readonly limit: StoredLimit;
  readonly most: number;
}

interface Known {
  readonly usage: Usage;
  limits: AppliedLimits;
  /** Of the rules that `limits` are of. */
  generation: number;
}

/** Limits of rates, numbers and stored data by identity, as the policy has them at present. */
export class Quotas {
  /** Called with every refusal. */
  onExceeded: ((rule: string, limit: string, identity: string) => void) | undefined;
  private rules: readonly LimitRule[];
  private generation = 0;
  /** The one without a call for longest first. */
  private readonly known = new Map<string, Known>();
  private readonly shared = new Map<string, Usage>();
  private readonly verbOf: QuotaParts['verbOf'];
  private readonly nowMs: () => number;
  private readonly identitiesMax: number;

  constructor(
    rules: readonly LimitRule[],
    { verbOf, nowMs = () => performance.now(), identitiesMax = IDENTITIES_MAX }: QuotaParts,
  ) {
    this.rules = rules;
    this.verbOf = verbOf;
    this.nowMs = nowMs;
    this.identitiesMax = identitiesMax;
  }

  /** Other limits from now on; what has been used of those that stay is kept. */
  replace(rules: readonly LimitRule[]): void {
    this.rules = rules;
    this.generation++;
    const names = new Set(rules.flatMap(({ name, isShared }) => (isShared ? [name] : [])));
    for (const name of this.shared.keys()) if (!names.has(name)) this.shared.delete(name);
  }

  /** Counts a call, or fails with QUOTA_EXCEEDED. The function that it returns counts the call out. */
  enter({ principal: { identity }, method, isStream }: LimitedCall): () => void {
    const { usage, limits } = this.knownOf(identity);
    const nowMs = this.nowMs();
    const rates = this.ratesOf(limits, method);
    const late = slowestOf(rates, nowMs);
    if (late) {
      const { rule, limit, rate, waitMs } = late;
      throw this.exceeded({ rule, limit, most: rate.limit, unit: rate.unit, identity, retryAfterMs: waitMs });
    }
    const kind: CountLimit = isStream ? 'open_streams' : 'calls_in_flight';
    const usages = new Set([usage]);
    for (const { limit, rule, most, usage: counted } of limits.counts) {
      if (limit !== kind) continue;
      usages.add(counted);
      if (counted.counts[kind] < most) continue;
      const retry = isStream ? {} : { retryAfterMs: IN_FLIGHT_RETRY_MS };
      throw this.exceeded({ rule, limit, most, unit: unitOf(limit), identity, ...retry });
    }
    take(rates, nowMs);
    for (const one of usages) one.counts[kind]++;
    return () => {
      for (const one of usages) one.counts[kind]--;
    };
  }

  /**
   * Counts a further message of a stream as a call of its method and returns 0, or returns the time after which it may
   * be counted.
   */
  waitForMessage({ principal: { identity }, method }: Omit<LimitedCall, 'isStream'>): number {
    const rates = this.ratesOf(this.knownOf(identity).limits, method);
    const nowMs = this.nowMs();
    const late = slowestOf(rates, nowMs);
    if (!late) take(rates, nowMs);
    return late?.waitMs ?? 0;
  }

  /** Counts bytes of messages: later calls wait until these are within the rate. */
  transferred(identity: string, bytes: number): void {
    const nowMs = this.nowMs();
    for (const { limit, rule, rate, usage } of this.knownOf(identity).limits.rates) {
      if (limit === 'message_bytes') usage.bucketOf(rule, limit, rate, nowMs).take(rate, nowMs, bytes);
    }
  }

  /** Limits of stored data. */
  storedLimitsOf(identity: string): AppliedLimits['stored'] {
    return this.knownOf(identity).limits.stored;
  }

  /** Notes the stored data that a write of the identity has counted, its own included. */
  noteStored(identity: string, used: Readonly<Partial<Record<StoredLimit, number>>>): void {
    Object.assign(this.knownOf(identity).usage.stored, used);
  }

  /** What is used of the limits of identities that are remembered, and of those that they share. */
  *uses(): Iterable<QuotaUse> {
    const nowMs = this.nowMs();
    for (const [identity, known] of this.known) {
      this.apply(identity, known);
      yield* usesOfIdentity(identity, known.limits, known.usage, nowMs);
    }
    for (const rule of this.rules) {
      const usage = rule.isShared ? this.shared.get(rule.name) : undefined;
      if (usage) yield* usesOfRule(rule, usage, nowMs);
    }
  }

  /** The error of a refusal of stored data, which is counted; `name`: the namespace that is full. */
  storageExceeded({ rule, limit, most }: StoredExcess, identity: string, name?: string): MnemeError {
    return this.exceeded({ rule, limit, most, unit: unitOf(limit), identity, name });
  }

  private exceeded(fault: {
    readonly rule: StoredExcess['rule'];
    readonly limit: string;
    readonly most: number;
    readonly unit: string;
    readonly identity: string;
    readonly name?: string;
    readonly retryAfterMs?: number;
  }): MnemeError {
    const { rule, limit, most, unit, identity, name, retryAfterMs } = fault;
    this.onExceeded?.(rule.name, limit, identity);
    const subject = rule.isShared ? `${identity} and others have` : `${identity} has`;
    const where = name === undefined ? '' : `: ${name}`;
    return new MnemeError(
      'QUOTA_EXCEEDED',
      `${subject} reached the limit of ${most} ${unit}, by the rule ${rule.name} of the policy${where}`,
      {
        metadata: { rule: rule.name, identity, limit: String(most), unit, ...(name === undefined ? {} : { name }) },
        retryAfterMs,
      },
    );
  }

  /** The rates that a call of the method uses, and that of bytes, which may be in debt. */
  private ratesOf({ rates }: AppliedLimits, method: string): readonly AppliedRate[] {
    if (rates.length === 0) return rates;
    const verb = this.verbOf(method);
    const own = verb && `${verb}_calls`;
    return rates.filter(({ limit }) => limit === 'calls' || limit === 'message_bytes' || limit === own);
  }

  private knownOf(identity: string): Known {
    const found = this.known.get(identity);
    if (found) this.known.delete(identity);
    const known = found ?? { usage: new Usage(), limits: NO_LIMITS, generation: -1 };
    this.known.set(identity, known);
    this.apply(identity, known);
    if (!found) this.forgetOldest();
    return known;
  }

  /** Gives an identity the present limits. */
  private apply(identity: string, known: Known): void {
    if (known.generation === this.generation) return;
    const usages = { own: known.usage, sharedOf: (rule: LimitRule) => this.sharedOf(rule) };
    known.limits = limitsOf(identity, this.rules, usages);
    known.generation = this.generation;
    known.usage.keepOnly(known.limits.rates);
  }

  private sharedOf({ name }: LimitRule): Usage {
    const found = this.shared.get(name);
    if (found) return found;
    const usage = new Usage();
    this.shared.set(name, usage);
    return usage;
  }

  /** Identities with calls in flight are kept: there are no more than calls. */
  private forgetOldest(): void {
    if (this.known.size <= this.identitiesMax) return;
    for (const [identity, { usage }] of this.known) {
      if (!usage.isIdle) continue;
      this.known.delete(identity);
      return;
    }
  }
}

const NO_LIMITS: AppliedLimits = { rates: [], counts: [], stored: {} };

/** The rate that a call has to wait for longest; `undefined`: it has to wait for none. */
function slowestOf(
  rates: readonly AppliedRate[],
  nowMs: number,
): (AppliedRate & { readonly waitMs: number }) | undefined {
  let slowest: (AppliedRate & { readonly waitMs: number }) | undefined;
  for (const one of rates) {
    const waitMs = one.usage.bucketOf(one.rule, one.limit, one.rate, nowMs).waitMs(one.rate, nowMs);
    if (waitMs > (slowest?.waitMs ?? 0)) slowest = { ...one, waitMs };
  }
  return slowest;
}

/** Takes one call from each; bytes are counted as messages are read and written. */
function take(rates: readonly AppliedRate[], nowMs: number): void {
  for (const { limit, rule, rate, usage } of rates) {
    if (limit !== 'message_bytes') usage.bucketOf(rule, limit, rate, nowMs).take(rate, nowMs);
  }
}

/** What is used of one limit. */
interface QuotaUse {
  readonly rule: string;
  readonly limit: string;
  /** `_shared`: all identities of the rule together. */
  readonly identity: string;
  /** Of a rate: the part of its burst that has not come back, above `most` where later calls have to wait. */
  readonly used: number;
  readonly most: number;
}

const SHARED = '_shared';

/** Of the limits that an identity has for itself; of stored data those that a write has counted. */
function* usesOfIdentity(
  identity: string,
  { rates, counts, stored }: AppliedLimits,
  own: Usage,
  nowMs: number,
): Iterable<QuotaUse> {
  for (const { limit, rule, rate, usage } of rates) {
    if (usage !== own) continue;
    yield { rule: rule.name, limit, identity, used: own.usedOf(rule, limit, rate, nowMs), most: rate.burst };
  }
  for (const { limit, rule, most, usage } of counts) {
    if (usage === own) yield { rule: rule.name, limit, identity, used: own.counts[limit], most };
  }
  for (const { limit, rule, most } of Object.values(stored)) {
    const used = own.stored[limit];
    if (used !== undefined) yield { rule: rule.name, limit, identity, used, most };
  }
}

/** Of the limits of a shared rule. */
function* usesOfRule(rule: LimitRule, usage: Usage, nowMs: number): Iterable<QuotaUse> {
  const common = { rule: rule.name, identity: SHARED };
  for (const [limit, rate] of entriesOf(rule.rates)) {
    yield { ...common, limit, used: usage.usedOf(rule, limit, rate, nowMs), most: rate.burst };
  }
  for (const [limit, most] of entriesOf(rule.counts)) yield { ...common, limit, used: usage.counts[limit], most };
}
