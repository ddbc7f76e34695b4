import {
  DemoteMemoriesRequest,
  DemoteMemoriesResponse,
  PromoteMemoriesRequest,
  PromoteMemoriesResponse,
  MemoryServiceService as Service,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { moveMemories } from '../../operations/tiers/move-memories.ts';
import type { TierDeps } from '../../operations/tiers/tier-config.ts';
import { type Route, unary } from '../edge/handler.ts';
import { moveRequestOf, moveResponse } from './tier-messages.ts';

/** The methods of MemoryService that move memories between tiers. */
export function moveMethods(deps: TierDeps): Route[] {
  return [
    unary(Service.demoteMemories, DemoteMemoriesRequest, DemoteMemoriesResponse, async (message) => {
      const request = moveRequestOf(message, 'down');
      return moveResponse(request.namespace, await moveMemories(deps, request));
    }),
    unary(Service.promoteMemories, PromoteMemoriesRequest, PromoteMemoriesResponse, async (message) => {
      const request = moveRequestOf(message, 'up');
      return moveResponse(request.namespace, await moveMemories(deps, request));
    }),
  ];
}
