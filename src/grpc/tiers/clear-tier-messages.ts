import type {
  ClearTierRequest as ClearTierMessage,
  ClearTierResponse,
} from '../../../gen/ts/mneme/v1/admin_service.ts';
import { SCOPE_PARTS } from '../../memory/scope.ts';
import type { ClearTierRequest } from '../../operations/tiers/clear-tier.ts';
import type { DeleteOutcome } from '../../storage/memory-store.ts';
import { memoryName, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import { TIERS } from './tier-messages.ts';

/** What is erased must have been meant: nothing stands for everything. */
export function clearTierRequestOf({ parent, tier, scope: given, all, dryRun }: ClearTierMessage): ClearTierRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', parent);
  const scope = given && scopeOf(checks, 'scope', given);
  if (all && scope) checks.add('scope', 'must be absent when all is set');
  if (!all && !scope) checks.add('scope', 'must be given, or all set');
  if (scope && SCOPE_PARTS.every((part) => scope[part] === '')) {
    checks.add('scope', 'must have at least one of project, agent_type, agent and session; all clears the whole tier');
  }
  const request = { namespace, tier: checks.choice('tier', tier, TIERS), dryRun, ...(scope ? { scope } : {}) };
  checks.finish();
  return request;
}

export function clearTierResponse(
  namespace: string,
  { deletedIds, tiers, revision }: DeleteOutcome,
): ClearTierResponse {
  return {
    clearedCount: tiers.reduce((sum, [, count]) => sum + count, 0),
    names: deletedIds.map((id) => memoryName(namespace, id)),
    revision: BigInt(revision),
  };
}
