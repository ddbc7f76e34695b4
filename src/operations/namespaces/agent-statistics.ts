import { TIERS, type Tier } from '../../memory/memory.ts';
import type { TierStore, TierTotal } from '../../storage/tier-store.ts';

/** What is known of an agent by the totals that are kept with every write: no memory is looked at. */
export interface AgentStatistics {
  readonly agent: string;
  readonly memoryCount: number;
  readonly contentBytes: number;
  /** Most first. */
  readonly types: readonly { readonly type: string; readonly count: number }[];
  readonly tiers: readonly { readonly tier: Tier; readonly count: number; readonly contentBytes: number }[];
}

const TYPES_MAX = 100;

/** Counts what a namespace, or all of them, hold of an agent. Fails with NAMESPACE_NOT_FOUND. */
export async function agentStatistics(
  { tiers: store }: { readonly tiers: Pick<TierStore, 'totals'> },
  agent: string,
  namespace?: string,
): Promise<AgentStatistics> {
  const totals = (await store.totals(namespace)).filter((total) => total.agent === agent);
  const types = [...Map.groupBy(totals, ({ type }) => type)]
    .map(([type, ofType]) => ({ type, count: sum(ofType, 'count') }))
    .sort((a, b) => b.count - a.count || (a.type < b.type ? -1 : 1))
    .slice(0, TYPES_MAX);
  const tiers = TIERS.map((tier) => {
    const ofTier = totals.filter((total) => total.tier === tier);
    return { tier, count: sum(ofTier, 'count'), contentBytes: sum(ofTier, 'contentBytes') };
  }).filter(({ count }) => count > 0);
  return { agent, memoryCount: sum(totals, 'count'), contentBytes: sum(totals, 'contentBytes'), types, tiers };
}

function sum(totals: readonly TierTotal[], part: 'count' | 'contentBytes'): number {
  return totals.reduce((total, one) => total + one[part], 0);
}
