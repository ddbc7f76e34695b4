import {
  BatchGetMemoriesRequest,
  BatchGetMemoriesResponse,
  BatchStoreMemoriesRequest,
  BatchStoreMemoriesResponse,
  CountMemoriesRequest,
  CountMemoriesResponse,
  DeleteMemoryRequest,
  DeleteMemoryResponse,
  ForgetMemoriesRequest,
  ForgetMemoriesResponse,
  GetMemoryRequest,
  GetMemoryResponse,
  ListMemoriesRequest,
  ListMemoriesResponse,
  ListMemoryRevisionsRequest,
  ListMemoryRevisionsResponse,
  MemoryServiceService as Service,
  SetMemoryImportanceRequest,
  SetMemoryImportanceResponse,
  StoreMemoryRequest,
  StoreMemoryResponse,
  SupersedeMemoryRequest,
  SupersedeMemoryResponse,
  UpdateMemoryRequest,
  UpdateMemoryResponse,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import { countMemories } from '../../operations/memories/count-memories.ts';
import { deleteMemory } from '../../operations/memories/delete-memory.ts';
import { forget } from '../../operations/memories/forget.ts';
import { getMemories, getMemory } from '../../operations/memories/get-memories.ts';
import { listMemories } from '../../operations/memories/list-memories.ts';
import { listRevisions } from '../../operations/memories/list-revisions.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { setImportance } from '../../operations/memories/set-importance.ts';
import { storeMemories } from '../../operations/memories/store-memories.ts';
import { supersedeMemory } from '../../operations/memories/supersede-memory.ts';
import { updateMemory } from '../../operations/memories/update-memory.ts';
import type { TierDeps } from '../../operations/tiers/tier-policy-of.ts';
import { type Route, unary } from '../edge/handler.ts';
import { pageToken } from '../edge/page-token.ts';
import { memoryName } from '../edge/resource-names.ts';
import { moveMethods } from '../tiers/move-methods.ts';
import { historyMethods } from './history-methods.ts';
import { countRequestOf, listRequestOf, listRevisionsRequestOf } from './list-requests.ts';
import { memoryMessage } from './memory-messages.ts';
import {
  batchGetRequestOf,
  batchStoreRequestOf,
  deleteRequestOf,
  forgetRequestOf,
  getRequestOf,
  type RequestLimits,
  setImportanceRequestOf,
  storeRequestOf,
  supersedeRequestOf,
  updateRequestOf,
} from './memory-requests.ts';
import {
  changeKind,
  forgetResponse,
  receiptOf,
  receiptsOf,
  supersedeResponse,
  tierCounts,
} from './receipt-messages.ts';
import { transferMethods } from './transfer-methods.ts';
import { namingUnfitVector } from './unfit-vector.ts';

/** `proto/mneme/v1/memory_service.proto`. */
export function memoryService(deps: MemoryDeps & TierDeps, limits: RequestLimits): Route[] {
  return [
    ...writingMethods(deps, limits),
    ...readingMethods(deps, limits),
    ...historyMethods(deps),
    ...transferMethods(deps),
    ...moveMethods(deps),
  ];
}

function writingMethods(deps: MemoryDeps, limits: RequestLimits): Route[] {
  return [
    unary(Service.storeMemory, StoreMemoryRequest, StoreMemoryResponse, async (message, call) => {
      const request = storeRequestOf(message);
      const stored = storeMemories(deps, request, call);
      return receiptOf(request.namespace, await namingUnfitVector(stored, request.memories));
    }),
    unary(Service.batchStoreMemories, BatchStoreMemoriesRequest, BatchStoreMemoriesResponse, async (message, call) => {
      const request = await batchStoreRequestOf(message, limits);
      const stored = storeMemories(deps, request, call);
      const pathOf = (at: number) => `requests[${at}].memory`;
      return receiptsOf(request.namespace, await namingUnfitVector(stored, request.memories, pathOf));
    }),
    unary(Service.updateMemory, UpdateMemoryRequest, UpdateMemoryResponse, async (message, call) => {
      const request = updateRequestOf(message);
      const updated = updateMemory(deps, request, call);
      return receiptOf(request.namespace, await namingUnfitVector(updated, [request.patch]));
    }),
    unary(
      Service.setMemoryImportance,
      SetMemoryImportanceRequest,
      SetMemoryImportanceResponse,
      async (message, call) => {
        const request = setImportanceRequestOf(message);
        return receiptOf(request.namespace, await setImportance(deps, request, call));
      },
    ),
    unary(Service.deleteMemory, DeleteMemoryRequest, DeleteMemoryResponse, async (message, call) => {
      const { revision } = await deleteMemory(deps, deleteRequestOf(message), call);
      return { revision: BigInt(revision) };
    }),
    unary(Service.supersedeMemory, SupersedeMemoryRequest, SupersedeMemoryResponse, async (message, call) => {
      const request = supersedeRequestOf(message);
      const written = supersedeMemory(deps, request, call);
      return supersedeResponse(request.namespace, await namingUnfitVector(written, [request.memory]));
    }),
    unary(Service.forgetMemories, ForgetMemoriesRequest, ForgetMemoriesResponse, async (message, call) => {
      const request = forgetRequestOf(message);
      return forgetResponse(request.namespace, await forget(deps, request, call));
    }),
  ];
}

function readingMethods(deps: MemoryDeps, limits: RequestLimits): Route[] {
  return [
    unary(Service.getMemory, GetMemoryRequest, GetMemoryResponse, async (message, call) => {
      const { memory, revision } = await getMemory(deps, getRequestOf(message), call);
      return { memory: memoryMessage(memory), revision: BigInt(revision) };
    }),
    unary(Service.batchGetMemories, BatchGetMemoriesRequest, BatchGetMemoriesResponse, async (message, call) => {
      const request = batchGetRequestOf(message, limits);
      const { memories, damagedIds, revision } = await getMemories(deps, request, call);
      const damaged = new Set(damagedIds.map((id) => memoryName(request.namespace, id)));
      return {
        memories: memories.flatMap((memory) => (memory ? [memoryMessage(memory)] : [])),
        missing: message.names.filter((name, at) => !memories[at] && !damaged.has(name)),
        damaged: [...damaged],
        revision: BigInt(revision),
      };
    }),
    unary(Service.listMemories, ListMemoriesRequest, ListMemoriesResponse, async (message, call) => {
      const { request, query } = listRequestOf(message, limits);
      const { memories, damagedIds = [], next, revision } = await listMemories(deps, request, call);
      const damaged = damagedIds.map((id) => memoryName(request.namespace, id));
      const nextPageToken = next ? pageToken(query, next) : '';
      return { memories: memories.map(memoryMessage), damaged, nextPageToken, revision: BigInt(revision) };
    }),
    unary(Service.countMemories, CountMemoriesRequest, CountMemoriesResponse, async (message, call) => {
      const { count, tiers, revision } = await countMemories(deps, countRequestOf(message), call);
      return { count, tiers: tierCounts(tiers), revision: BigInt(revision) };
    }),
    unary(Service.listMemoryRevisions, ListMemoryRevisionsRequest, ListMemoryRevisionsResponse, async (message) => {
      const { request, query } = listRevisionsRequestOf(message, limits);
      const { states, damagedCount, nextBefore } = await listRevisions(deps, request);
      return {
        revisions: states.map(({ memory, change }) => ({
          memory: memoryMessage(memory),
          change: changeKind[change],
        })),
        nextPageToken: nextBefore === undefined ? '' : pageToken(query, nextBefore),
        damagedCount,
      };
    }),
  ];
}
