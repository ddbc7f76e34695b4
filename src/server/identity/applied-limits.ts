import { isNamed } from '../../memory/principal.ts';
import {
  type CountLimit,
  type LimitRule,
  type NamedRate,
  type RateLimit,
  type StoredLimit,
  unitOf,
} from './limit-rules.ts';
import { TokenBucket } from './token-bucket.ts';

/** What an identity, or all identities of a shared rule, have used. */
export class Usage {
  readonly counts: Record<CountLimit, number> = { calls_in_flight: 0, open_streams: 0 };
  /** Stored data, as of the last write that counted it. */
  readonly stored: Partial<Record<StoredLimit, number>> = {};
  private readonly buckets = new Map<string, TokenBucket>();

  get isIdle(): boolean {
    return this.counts.calls_in_flight + this.counts.open_streams === 0;
  }

  bucketOf(rule: LimitRule, limit: RateLimit, rate: NamedRate, nowMs: number): TokenBucket {
    const key = `${rule.name}/${limit}`;
    const known = this.buckets.get(key);
    if (known) return known;
    const bucket = new TokenBucket(rate, nowMs);
    this.buckets.set(key, bucket);
    return bucket;
  }

  /** Units of a rate that have been taken and have not come back. */
  usedOf(rule: LimitRule, limit: RateLimit, rate: NamedRate, nowMs: number): number {
    return this.buckets.get(`${rule.name}/${limit}`)?.used(rate, nowMs) ?? 0;
  }

  /** Drops the levels of limits that do not apply any more. */
  keepOnly(limits: readonly AppliedRate[]): void {
    const kept = new Set(limits.map(({ rule, limit }) => `${rule.name}/${limit}`));
    for (const key of this.buckets.keys()) if (!kept.has(key)) this.buckets.delete(key);
  }
}

interface Applied<L> {
  readonly limit: L;
  readonly rule: LimitRule;
}

export interface AppliedRate extends Applied<RateLimit> {
  readonly rate: NamedRate;
  readonly usage: Usage;
}

export interface AppliedCount extends Applied<CountLimit> {
  readonly most: number;
  readonly usage: Usage;
}

export interface AppliedStored extends Applied<StoredLimit> {
  readonly most: number;
}

export interface AppliedLimits {
  readonly rates: readonly AppliedRate[];
  readonly counts: readonly AppliedCount[];
  readonly stored: Readonly<Partial<Record<StoredLimit, AppliedStored>>>;
}

/**
 * The limits of an identity: of each kind that of the first rule that names the identity and has one, and those of all
 * shared rules that name it.
 */
export function limitsOf(
  identity: string,
  rules: readonly LimitRule[],
  usages: { readonly own: Usage; readonly sharedOf: (rule: LimitRule) => Usage },
): AppliedLimits {
  const rates: AppliedRate[] = [];
  const counts: AppliedCount[] = [];
  const stored: Partial<Record<StoredLimit, AppliedStored>> = {};
  const decided = new Set<string>();
  for (const rule of rules) {
    if (!rule.identities.some((pattern) => isNamed(pattern, identity))) continue;
    const usage = rule.isShared ? usages.sharedOf(rule) : usages.own;
    const isDecided = (limit: string): boolean => {
      if (rule.isShared) return false;
      const was = decided.has(limit);
      decided.add(limit);
      return was;
    };
    for (const [limit, rate] of entriesOf(rule.rates)) if (!isDecided(limit)) rates.push({ limit, rule, rate, usage });
    for (const [limit, most] of entriesOf(rule.counts))
      if (!isDecided(limit)) counts.push({ limit, rule, most, usage });
    for (const [limit, most] of entriesOf(rule.stored)) if (!isDecided(limit)) stored[limit] = { limit, rule, most };
  }
  return { rates, counts, stored };
}

export function entriesOf<K extends string, V>(fields: Readonly<Partial<Record<K, V>>>): [K, V][] {
  return Object.entries(fields) as [K, V][];
}

/** The limits of an identity as texts, such as `50 calls per second (rule agents)`. */
export function limitTexts(identity: string, rules: readonly LimitRule[]): string[] {
  const unused = new Usage();
  const { rates, counts, stored } = limitsOf(identity, rules, { own: unused, sharedOf: () => unused });
  return [
    ...rates.map(({ rule, rate }) => textOf(rule, rate.limit, rate.unit)),
    ...[...counts, ...Object.values(stored)].map(({ rule, limit, most }) => textOf(rule, most, unitOf(limit))),
  ];
}

function textOf({ name, isShared }: LimitRule, limit: number, unit: string): string {
  return `${limit} ${unit} (${isShared ? 'shared ' : ''}rule ${name})`;
}
