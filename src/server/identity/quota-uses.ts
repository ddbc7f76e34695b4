import { type AppliedLimits, entriesOf, type Usage } from './applied-limits.ts';
import type { LimitRule } from './limit-rules.ts';

/** What is used of one limit. */
export interface QuotaUse {
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
export function* usesOfIdentity(
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
export function* usesOfRule(rule: LimitRule, usage: Usage, nowMs: number): Iterable<QuotaUse> {
  const common = { rule: rule.name, identity: SHARED };
  for (const [limit, rate] of entriesOf(rule.rates)) {
    yield { ...common, limit, used: usage.usedOf(rule, limit, rate, nowMs), most: rate.burst };
  }
  for (const [limit, most] of entriesOf(rule.counts)) yield { ...common, limit, used: usage.counts[limit], most };
}
