import { Gauge, type Registry } from 'prom-client';

/** What is used of one limit of the policy. */
export interface MeasuredQuota {
  readonly rule: string;
  readonly limit: string;
  readonly identity: string;
  readonly used: number;
  readonly most: number;
}

/** Combinations of rule, limit and identity that have series of their own. */
const NAMED_MAX = 200;
const OTHER = '_other';

/** Gauges of what is used of quotas, and of the quotas, which are read when the metrics are scraped. */
export function quotaMetrics(registers: Registry[], quotas: () => Iterable<MeasuredQuota>): void {
  const labelNames = ['rule', 'limit', 'identity'] as const;
  /** Identities of the combinations that have series. */
  const named = new Map<string, string>();
  const set = ({ rule, limit, used: value, most: limitValue }: MeasuredQuota, identity: string): void => {
    used.set({ rule, limit, identity }, value);
    most.set({ rule, limit, identity }, limitValue);
  };
  // Collected first, as it is registered first: it sets both.
  const used = new Gauge({
    name: 'mneme_quota_used',
    help:
      'Used of a limit of the policy, of rates the part of the burst that has not come back, of stored data as of the last write; ' +
      'of more than 200 combinations the fullest of the rest is _other.',
    labelNames,
    registers,
    collect() {
      used.reset();
      most.reset();
      const gone = new Set(named.keys());
      const identities = new Set(named.values());
      let fullest: MeasuredQuota | undefined;
      for (const quota of quotas()) {
        const hasPlace = quota.used > 0 && named.size < NAMED_MAX;
        // Of ten thousand identities most have no series: no key is made for them.
        const key = hasPlace || identities.has(quota.identity) ? keyOf(quota) : undefined;
        if (key !== undefined && (hasPlace || named.has(key))) {
          gone.delete(key);
          named.set(key, quota.identity);
          set(quota, quota.identity);
        } else if (!fullest || shareOf(quota) > shareOf(fullest)) fullest = quota;
      }
      for (const key of gone) named.delete(key);
      if (fullest && fullest.used > 0) set(fullest, OTHER);
    },
  });
  const most = new Gauge({
    name: 'mneme_quota_limit',
    help: 'Limit of the policy that mneme_quota_used is of; of rates the burst.',
    labelNames,
    registers,
  });
}

function keyOf({ rule, limit, identity }: MeasuredQuota): string {
  return `${rule} ${limit} ${identity}`;
}

function shareOf({ used, most }: MeasuredQuota): number {
  return used / Math.max(1, most);
}
