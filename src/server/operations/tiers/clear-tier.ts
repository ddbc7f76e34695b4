import type { Call } from '../../../memory/call.ts';
import type { Scope, Tier } from '../../../memory/memory.ts';
import type { DeleteOutcome } from '../../../storage/records.ts';
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
 * Deletes the memories of a tier like `forget`, with a log entry for each. A memory that leaves the tier before it is
 * processed is kept; one that enters in the meantime may or may not be deleted.
 */
export function clearTier(
  deps: Pick<MemoryDeps, 'store' | 'view' | 'clock'>,
  { namespace, tier, scope, dryRun }: ClearTierRequest,
  call: Call,
): Promise<DeleteOutcome> {
  const filters = [compare('tier', 'equals', tier), ...(scope ? scopeFilters(scope) : [])];
  return forget(deps, { namespace, filter: { kind: 'all', filters }, onlyIn: tier, dryRun }, call);
}
