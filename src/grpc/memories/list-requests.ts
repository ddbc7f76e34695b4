import {
  type CountMemoriesRequest,
  ListMemoriesRequest,
  ListMemoryRevisionsRequest,
  MemoryOrder as OrderNumber,
  MemoryServiceService as Service,
} from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { CountRequest } from '../../operations/memories/count-memories.ts';
import type { ListRequest } from '../../operations/memories/list-memories.ts';
import type { ListRevisionsRequest as ListStatesRequest } from '../../operations/memories/list-revisions.ts';
import type { ListOrder, ListPosition } from '../../storage/memory-store.ts';
import { type PageQuery, pageQuery, positionIn } from '../edge/page-token.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { givenFilter } from './filter-messages.ts';
import { VIEWS } from './memory-messages.ts';
import type { RequestLimits } from './memory-requests.ts';
import { listedValidityOf } from './validity-messages.ts';

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

export function listRequestOf(message: ListMemoriesRequest, limits: RequestLimits): Paged<ListRequest> {
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
  const filter = givenFilter(message);
  const query = pageQuery(Service.listMemories.path, ListMemoriesRequest, {
    ...message,
    pageSize: 0,
    pageToken: '',
    view: 0,
  });
  const after = positionIn<ListPosition>(query, message.pageToken);
  return { request: { ...request, validity, ...(filter ? { filter } : {}), ...(after ? { after } : {}) }, query };
}

export function countRequestOf(message: CountMemoriesRequest): CountRequest {
  const checks = new RequestChecks();
  const request = {
    namespace: checks.namespace('parent', message.parent),
    validity: listedValidityOf(checks, message),
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  const filter = givenFilter(message);
  return filter ? { ...request, filter } : request;
}

export function listRevisionsRequestOf(
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
