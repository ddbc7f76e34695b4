import {
  ClearRecallCacheRequest,
  ClearRecallCacheResponse,
  ClearTierRequest,
  ClearTierResponse,
  GetConfigRequest,
  GetConfigResponse,
  MaintainTiersRequest,
  MaintainTiersResponse,
  AdminServiceService as Service,
  UpdateConfigRequest,
  UpdateConfigResponse,
} from '../../../../gen/ts/mneme/v1/admin_service.ts';
import {
  DemoteMemoriesRequest,
  DemoteMemoriesResponse,
  MemoryServiceService,
  PromoteMemoriesRequest,
  PromoteMemoriesResponse,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import type { Call } from '../../../memory/call.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import { clearCache, type RecallCache } from '../../operations/recall/cached-search.ts';
import { clearTier } from '../../operations/tiers/clear-tier.ts';
import { type MaintainRequest as MaintainOrder, maintain } from '../../operations/tiers/maintain-namespaces.ts';
import { moveMemories } from '../../operations/tiers/move-memories.ts';
import { type ConfigDeps, type TierDeps, tierConfig, updateTierConfig } from '../../operations/tiers/tier-config.ts';
import { type Route, serverStream, unary } from '../edge/handler.ts';
import { memoryName, namespaceName, RequestChecks } from '../edge/request-checks.ts';
import {
  clearTierRequestOf,
  clearTierResponse,
  moveRequestOf,
  moveResponse,
  plannedMoveMessage,
  settingChangesOf,
} from './tier-messages.ts';

/** The methods of AdminService for tiers. `operator` has unlimited visibility: maintenance covers all memories. */
export function tierMethods(
  deps: TierDeps & ConfigDeps & { readonly operator: TierDeps; readonly cache: RecallCache },
): Route[] {
  return [
    serverStream(Service.maintainTiers, MaintainTiersRequest, MaintainTiersResponse, (message, call) =>
      maintained(deps.operator, maintainOrderOf(message), call),
    ),
    unary(Service.clearTier, ClearTierRequest, ClearTierResponse, async (message, call) => {
      const request = clearTierRequestOf(message);
      return clearTierResponse(request.namespace, await clearTier(deps, request, call));
    }),
    unary(Service.clearRecallCache, ClearRecallCacheRequest, ClearRecallCacheResponse, async ({ parent }) => {
      const checks = new RequestChecks();
      const namespace = parent === '' ? undefined : checks.namespace('parent', parent);
      checks.finish();
      const { count, bytes } = await clearCache(deps, namespace);
      return { clearedCount: count, clearedBytes: bytes };
    }),
    unary(Service.getConfig, GetConfigRequest, GetConfigResponse, async () => ({
      settings: Object.fromEntries(await tierConfig(deps)),
    })),
    unary(Service.updateConfig, UpdateConfigRequest, UpdateConfigResponse, async ({ settings, allowDemotion }) => {
      const changes = settingChangesOf(settings);
      const checks = new RequestChecks();
      if (changes.length === 0) checks.add('settings', 'must name at least one setting');
      checks.finish();
      return { settings: Object.fromEntries(await updateTierConfig(deps, changes, { allowDemotion })) };
    }),
  ];
}

function maintainOrderOf({ parent, agent, dryRun, flush, anyType }: MaintainTiersRequest): MaintainOrder {
  const checks = new RequestChecks();
  const namespace = parent === '' ? undefined : checks.namespace('parent', parent);
  checks.text('agent', agent, MEMORY_LIMITS.namePartBytes, { plain: true });
  checks.finish();
  return {
    namespace,
    ...(agent === '' ? {} : { agent }),
    dryRun,
    flush,
    anyType,
  };
}

async function* maintained(deps: TierDeps, order: MaintainOrder, call: Call): AsyncGenerator<MaintainTiersResponse> {
  let movedCount = 0;
  for await (const { namespace, moves, damagedIds } of maintain(deps, order, call)) {
    movedCount += moves.length;
    yield {
      namespace: namespaceName(namespace),
      moves: moves.map((move) => plannedMoveMessage(namespace, move)),
      damaged: damagedIds.map((id) => memoryName(namespace, id)),
      movedCount,
      revision: BigInt(deps.store.revision),
      done: false,
    };
  }
  const revision = BigInt(deps.store.revision);
  yield { namespace: '', moves: [], damaged: [], movedCount, revision, done: true };
}

/** The methods of MemoryService that move memories between tiers. */
export function moveMethods(deps: TierDeps): Route[] {
  return [
    unary(MemoryServiceService.demoteMemories, DemoteMemoriesRequest, DemoteMemoriesResponse, async (message) => {
      const request = moveRequestOf(message, 'down');
      return moveResponse(request.namespace, await moveMemories(deps, request));
    }),
    unary(MemoryServiceService.promoteMemories, PromoteMemoriesRequest, PromoteMemoriesResponse, async (message) => {
      const request = moveRequestOf(message, 'up');
      return moveResponse(request.namespace, await moveMemories(deps, request));
    }),
  ];
}
