import type { Call } from '../../memory/call.ts';
import type { Scope, Tier } from '../../memory/memory.ts';
import type { DeleteOutcome } from '../../storage/memory-store.ts';
import { forget } from '../memories/forget.ts';
import { compare, scopeFilters } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';

export interface ClearTierRequest {
  readonly namespace: string;
  readonly tier: Tier;
  /** Parts that are not empty must be equal; absent: the tier as a whole. */
  readonly scope?: Scope;
  /** Only counts. */
  readonly dryRun: boolean;
}

/**
 * Erases the memories of a tier, as forgetting does, with an entry in the change log for each. One that has left the tier
 * by the time its turn comes is kept; one that comes meanwhile may be erased or kept.
 */
export function clearTier(
  deps: Pick<MemoryDeps, 'store' | 'clock'>,
  { namespace, tier, scope, dryRun }: ClearTierRequest,
  call: Call,
): Promise<DeleteOutcome> {
  const filters = [compare('tier', 'equals', tier), ...(scope ? scopeFilters(scope) : [])];
  return forget(deps, { namespace, filter: { kind: 'all', filters }, onlyIn: tier, dryRun }, call);
}
