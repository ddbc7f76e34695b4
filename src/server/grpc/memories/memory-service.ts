import {
  BatchGetMemoriesRequest,
  BatchGetMemoriesResponse,
  BatchStoreMemoriesRequest,
  BatchStoreMemoriesResponse,
  CountMemoriesRequest,
  CountMemoriesResponse,
  DeleteMemoryRequest,
  DeleteMemoryResponse,
  ExportMemoriesRequest,
  ExportMemoriesResponse,
  ForgetMemoriesRequest,
  ForgetMemoriesResponse,
  GetMemoryRequest,
  GetMemoryResponse,
  ImportMemoriesRequest,
  ImportMemoriesResponse,
  ListMemoriesRequest,
  ListMemoriesResponse,
  ListMemoryRevisionsRequest,
  ListMemoryRevisionsResponse,
  MemoryOrder as OrderNumber,
  MemoryServiceService as Service,
  SetMemoryImportanceRequest,
  SetMemoryImportanceResponse,
  StoreMemoryRequest,
  StoreMemoryResponse,
  SupersedeMemoryRequest,
  SupersedeMemoryResponse,
  UpdateMemoryRequest,
  UpdateMemoryResponse,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { withoutKeys } from '../../../memory/facts/key-filter.ts';
import type { MemoryDraft } from '../../../memory/memory.ts';
import type { ListOrder, ListPosition } from '../../../storage/records.ts';
import { checkExpiry } from '../../operations/memories/check-expiry.ts';
import { deleteMemory, forget } from '../../operations/memories/forget.ts';
import { getMemories, getMemory } from '../../operations/memories/get-memories.ts';
import {
  type CountRequest,
  countMemories,
  type ListRequest,
  type ListRevisionsRequest as ListStatesRequest,
  listMemories,
  listRevisions,
} from '../../operations/memories/list-memories.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { type StoreRequest, storeMemories } from '../../operations/memories/store-memories.ts';
import { supersedeMemory } from '../../operations/memories/supersede-memory.ts';
import { exportMemories, importMemories } from '../../operations/memories/transfer-memories.ts';
import { setImportance, updateMemory } from '../../operations/memories/update-memory.ts';
import type { TierDeps } from '../../operations/tiers/tier-config.ts';
import { turns } from '../../operations/turns.ts';
import { bidi, type Route, serverStream, unary } from '../edge/handler.ts';
import { type PageQuery, pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { memoryName, RequestChecks } from '../edge/request-checks.ts';
import { moveMethods } from '../tiers/tier-methods.ts';
import { CONFLICT_POLICIES, importedDraftOf, listedValidityOf, namingUnfitVector } from './draft-messages.ts';
import { givenFilter } from './filter-messages.ts';
import { historyMethods } from './history-methods.ts';
import {
  changeKind,
  forgetResponse,
  memoryMessage,
  receiptOf,
  receiptsOf,
  supersedeResponse,
  tierCounts,
  VIEWS,
} from './memory-messages.ts';
import {
  batchGetRequestOf,
  batchStoreRequestOf,
  deleteRequestOf,
  forgetRequestOf,
  getRequestOf,
  missingMemory,
  type RequestLimits,
  setImportanceRequestOf,
  storeRequestOf,
  supersedeRequestOf,
  updateRequestOf,
} from './memory-requests.ts';

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
      await checkExpiry(deps, request, call);
      const stored = storeMemories(deps, request, call);
      return receiptOf(request.namespace, await namingUnfitVector(stored, request.memories));
    }),
    unary(Service.batchStoreMemories, BatchStoreMemoriesRequest, BatchStoreMemoriesResponse, async (message, call) => {
      const request = await batchStoreRequestOf(message, limits);
      const pathOf = (at: number) => `requests[${at}].memory`;
      await checkExpiry(deps, request, call, pathOf);
      const stored = storeMemories(deps, request, call);
      return receiptsOf(request.namespace, await namingUnfitVector(stored, request.memories, pathOf));
    }),
    unary(Service.updateMemory, UpdateMemoryRequest, UpdateMemoryResponse, async (message, call) => {
      const request = updateRequestOf(message);
      await checkExpiry(deps, { ...request, memories: [request.patch] }, call);
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
      await checkExpiry(deps, { ...request, memories: [request.memory] }, call);
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
    unary(
      Service.getMemory,
      GetMemoryRequest,
      GetMemoryResponse,
      async (message, call) => {
        const { memory, revision } = await getMemory(deps, getRequestOf(message), call);
        return { memory: memoryMessage(memory), revision: BigInt(revision) };
      },
      { whenAbsent: missingMemory },
    ),
    unary(
      Service.batchGetMemories,
      BatchGetMemoriesRequest,
      BatchGetMemoriesResponse,
      async (message, call) => {
        const request = batchGetRequestOf(message, limits);
        const { memories, damagedIds, revision } = await getMemories(deps, request, call);
        const damaged = new Set(damagedIds.map((id) => memoryName(request.namespace, id)));
        return {
          memories: memories.flatMap((memory) => (memory ? [memoryMessage(memory)] : [])),
          missing: message.names.filter((name, at) => !memories[at] && !damaged.has(name)),
          damaged: [...damaged],
          revision: BigInt(revision),
        };
      },
      {
        whenAbsent: ({ names }) =>
          BatchGetMemoriesResponse.fromPartial({ missing: names, revision: BigInt(deps.store.revision) }),
      },
    ),
    unary(
      Service.listMemories,
      ListMemoriesRequest,
      ListMemoriesResponse,
      async (message, call) => {
        const { request, query } = listRequestOf(message, limits);
        const { memories, damagedIds = [], next, revision } = await listMemories(deps, request, call);
        const damaged = damagedIds.map((id) => memoryName(request.namespace, id));
        const nextPageToken = next ? pageToken(query, next) : '';
        return { memories: memories.map(memoryMessage), damaged, nextPageToken, revision: BigInt(revision) };
      },
      { whenAbsent: () => ListMemoriesResponse.fromPartial({ revision: BigInt(deps.store.revision) }) },
    ),
    unary(
      Service.countMemories,
      CountMemoriesRequest,
      CountMemoriesResponse,
      async (message, call) => {
        const { count, tiers, revision } = await countMemories(deps, countRequestOf(message), call);
        return { count, tiers: tierCounts(tiers), revision: BigInt(revision) };
      },
      { whenAbsent: () => CountMemoriesResponse.fromPartial({ revision: BigInt(deps.store.revision) }) },
    ),
    unary(
      Service.listMemoryRevisions,
      ListMemoryRevisionsRequest,
      ListMemoryRevisionsResponse,
      async (message) => {
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
      },
      { whenAbsent: missingMemory },
    ),
  ];
}

const IMPORT_BATCH_MAX = 256;

/** The methods of MemoryService that move memories in and out of a server. */
function transferMethods(deps: MemoryDeps): Route[] {
  return [
    serverStream(
      Service.exportMemories,
      ExportMemoriesRequest,
      ExportMemoriesResponse,
      async function* (message, call) {
        const checks = new RequestChecks();
        const namespace = checks.namespace('parent', message.parent);
        checks.finish();
        const filter = givenFilter(message);
        const request = { namespace, filter };
        for await (const { memories, damagedIds, ...counts } of exportMemories(deps, request, call)) {
          const damaged = damagedIds.map((id) => memoryName(namespace, id));
          yield { memories: memories.map(memoryMessage), damaged, ...counts };
        }
      },
      { whenAbsent: () => [ExportMemoriesResponse.fromPartial({})] },
    ),
    bidi(Service.importMemories, ImportMemoriesRequest, ImportMemoriesResponse, async function* (messages, call) {
      for await (const { revision, ...counts } of importMemories(deps, importBatches(messages), call)) {
        yield { ...counts, revision: BigInt(revision) };
      }
    }),
  ];
}

/** The namespace comes with the first message and holds for all. */
async function* importBatches(messages: AsyncIterable<ImportMemoriesRequest>): AsyncGenerator<StoreRequest> {
  let parent: string | undefined;
  for await (const message of messages) {
    const checks = new RequestChecks();
    const isSame = parent === undefined || message.parent === '' || message.parent === parent;
    if (!isSame) checks.add('parent', `must be empty or ${parent}, as in the first message`);
    parent ??= message.parent;
    const namespace = checks.namespace('parent', parent);
    const { length } = message.memories;
    if (length < 1 || length > IMPORT_BATCH_MAX) {
      checks.add('memories', `must be 1 to ${IMPORT_BATCH_MAX}, got ${length}`);
    }
    const memories: MemoryDraft[] = [];
    for (const [at, memory] of message.memories.slice(0, IMPORT_BATCH_MAX).entries()) {
      await turns.wait();
      memories.push(importedDraftOf({ checks, field: `memories[${at}]`, namespace, memory }));
    }
    const onConflict = checks.choice('conflict_policy', message.conflictPolicy, CONFLICT_POLICIES);
    checks.finish();
    yield { namespace, memories, onConflict };
  }
}

const PAGE_DEFAULT = 50;
const REVISIONS_DEFAULT = 20;
const REVISIONS_MAX = 100;

const ORDERS: Readonly<Record<number, ListOrder>> = {
  [OrderNumber.MEMORY_ORDER_UNSPECIFIED]: 'create_time_desc',
  [OrderNumber.MEMORY_ORDER_CREATE_TIME_DESC]: 'create_time_desc',
  [OrderNumber.MEMORY_ORDER_CREATE_TIME_ASC]: 'create_time_asc',
  [OrderNumber.MEMORY_ORDER_EVENT_TIME_DESC]: 'event_time_desc',
  [OrderNumber.MEMORY_ORDER_EVENT_TIME_ASC]: 'event_time_asc',
  [OrderNumber.MEMORY_ORDER_IMPORTANCE_DESC]: 'importance_desc',
  [OrderNumber.MEMORY_ORDER_STEP_ASC]: 'step_asc',
  [OrderNumber.MEMORY_ORDER_STEP_DESC]: 'step_desc',
};

/** A request for a page, and the query that tokens of its pages hold on to. */
export interface Paged<T> {
  readonly request: T;
  readonly query: PageQuery;
}

function listRequestOf(message: ListMemoriesRequest, limits: RequestLimits): Paged<ListRequest> {
  const checks = new RequestChecks();
  const request = {
    namespace: checks.namespace('parent', message.parent),
    order: checks.choice('order', message.order, ORDERS),
    limit: checks.pageSize(message.pageSize, PAGE_DEFAULT, limits.maxPageSize),
    bytesMax: limits.maxPageBytes,
    view: checks.choice('view', message.view, VIEWS),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  const validity = listedValidityOf(checks, message);
  checks.finish();
  const filter = withoutKeys(givenFilter(message), validity);
  const query = pageQuery(Service.listMemories.path, ListMemoriesRequest, {
    ...message,
    pageSize: 0,
    pageToken: '',
    view: 0,
  });
  const after = positionIn<ListPosition>(query, message.pageToken);
  return { request: { ...request, validity, filter, after }, query };
}

function countRequestOf(message: CountMemoriesRequest): CountRequest {
  const checks = new RequestChecks();
  const request = {
    namespace: checks.namespace('parent', message.parent),
    validity: listedValidityOf(checks, message),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  const filter = withoutKeys(givenFilter(message), request.validity);
  return filter ? { ...request, filter } : request;
}

function listRevisionsRequestOf(
  message: ListMemoryRevisionsRequest,
  { maxPageBytes }: RequestLimits,
): Paged<ListStatesRequest> {
  const checks = new RequestChecks();
  const request = {
    ...checks.memoryName('name', message.name),
    limit: checks.pageSize(message.pageSize, REVISIONS_DEFAULT, REVISIONS_MAX),
    bytesMax: maxPageBytes,
  };
  checks.finish();
  const { path } = Service.listMemoryRevisions;
  const query = pageQuery(path, ListMemoryRevisionsRequest, { ...message, pageSize: 0, pageToken: '' });
  const beforeRevision = positionIn<number>(query, message.pageToken);
  return { request: beforeRevision === undefined ? request : { ...request, beforeRevision }, query };
}
