import { Memory as MemoryCodec } from '../../../../gen/ts/mneme/v1/memory.ts';
import type {
  BatchGetMemoriesRequest,
  BatchStoreMemoriesRequest,
  DeleteMemoryRequest,
  ForgetMemoriesRequest,
  GetMemoryRequest,
  SetMemoryImportanceRequest,
  StoreMemoryRequest,
  SupersedeMemoryRequest,
  UpdateMemoryRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { memoryNotFound } from '../../../memory/errors.ts';
import { DEFAULT_IMPORTANCE, DEFAULT_PRIORITY, type MemoryDraft, type Scope } from '../../../memory/memory.ts';
import type { StoreRequest as StoreWriteRequest } from '../../operations/memories/store-memories.ts';
import type { SupersedeRequest } from '../../operations/memories/supersede-memory.ts';
import type { MemoryPatch } from '../../operations/memories/update-memory.ts';
import { turns } from '../../operations/turns.ts';
import { MEMORY_ID, memoryNameIn, RequestChecks } from '../edge/request-checks.ts';
import { draftOf } from './draft-messages.ts';
import { givenFilter } from './filter-messages.ts';
import {
  type MemoryInput,
  memoryContentOf,
  memoryEmbeddingOf,
  memoryPlaceOf,
  scopeOf,
  shareOf,
  sourceOf,
  stepOf,
  supersededByOf,
  tagsOf,
  textOf,
  timeOf,
  typeOf,
} from './memory-fields.ts';
import { VIEWS } from './memory-messages.ts';

/** Limits of requests that are settings of the server. */
export interface RequestLimits {
  readonly maxBatchSize: number;
  readonly maxPageSize: number;
  readonly maxPageBytes: number;
  readonly maxResponseBytes: number;
}

export function storeRequestOf(message: StoreMemoryRequest): StoreWriteRequest {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  const memories = [storedDraft(checks, '', namespace, message)];
  checks.finish();
  return { namespace, memories, onConflict: 'fail' };
}

/** Yields between memories: a batch may contain megabytes of JSON to parse. */
export async function batchStoreRequestOf(
  message: BatchStoreMemoriesRequest,
  { maxBatchSize }: RequestLimits,
): Promise<StoreWriteRequest> {
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  checkLength(checks, 'requests', message.requests.length, maxBatchSize);
  const memories: MemoryDraft[] = [];
  for (const [at, item] of message.requests.slice(0, maxBatchSize).entries()) {
    await turns.wait();
    const field = `requests[${at}].`;
    if (item.parent !== '' && item.parent !== message.parent) checks.add(`${field}parent`, 'must be empty or parent');
    if (item.requestId !== '') checks.add(`${field}request_id`, 'must be empty; the batch has one');
    memories.push(storedDraft(checks, field, namespace, item));
  }
  checkDistinct(checks, memories);
  checks.finish();
  return { namespace, memories, onConflict: 'fail' };
}

type StoredItem = Pick<StoreMemoryRequest, 'memory' | 'memoryId'>;

function storedDraft(checks: RequestChecks, prefix: string, namespace: string, item: StoredItem): MemoryDraft {
  const { memoryId, memory } = item;
  if (memoryId !== '') checks.matching(`${prefix}memory_id`, memoryId, MEMORY_ID, '1 to 128 of [A-Za-z0-9._~:-]');
  const field = `${prefix}memory`;
  return draftOf({ checks, field, namespace, memory: memory ?? NO_MEMORY }, memoryId || undefined);
}
const NO_MEMORY = MemoryCodec.fromPartial({});

function checkDistinct(checks: RequestChecks, memories: readonly MemoryDraft[]): void {
  const ids = new Set<string>();
  for (const [at, { id }] of memories.entries()) {
    if (id === undefined) continue;
    if (ids.has(id)) checks.add(`requests[${at}].memory_id`, `must be unique in the request, got ${id} again`);
    ids.add(id);
  }
}

export function getRequestOf(message: GetMemoryRequest) {
  const checks = new RequestChecks();
  const request = {
    ...checks.memoryName('name', message.name),
    view: checks.choice('view', message.view, VIEWS),
    touch: message.touch,
    focus: message.focus,
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  return request;
}

/** A memory of a namespace that does not exist. */
export function missingMemory({ name }: { readonly name: string }): never {
  const { namespace, id } = new RequestChecks().memoryName('name', name);
  throw memoryNotFound(namespace, id);
}

export function batchGetRequestOf(message: BatchGetMemoriesRequest, limits: RequestLimits) {
  const { maxBatchSize, maxResponseBytes } = limits;
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', message.parent);
  checkLength(checks, 'names', message.names.length, maxBatchSize);
  const ids = message.names.slice(0, maxBatchSize).map((name, at) => {
    const parts = memoryNameIn(name);
    if (parts?.namespace !== namespace) checks.add(`names[${at}]`, `must be a memory of namespaces/${namespace}`);
    return parts?.id ?? '';
  });
  const view = checks.choice('view', message.view, VIEWS);
  const minRevision = checks.wholeWithin('min_revision', message.minRevision);
  checks.finish();
  return { namespace, ids, view, minRevision, bytesMax: maxResponseBytes };
}

export function updateRequestOf({ memory, updateMask, ifVersion }: UpdateMemoryRequest) {
  const checks = new RequestChecks();
  if (!memory) checks.add('memory', 'is required');
  const { namespace, id } = checks.memoryName('memory.name', memory?.name ?? '');
  const input = { checks, field: 'memory', namespace, memory: memory ?? NO_MEMORY };
  const patch = patchOf(input, updateMask ?? []);
  const expected = checks.ifVersion(ifVersion);
  checks.finish();
  return { namespace, id, ifVersion: expected, patch };
}

export function setImportanceRequestOf({ name, importance, ifVersion }: SetMemoryImportanceRequest) {
  const checks = new RequestChecks();
  const request = {
    ...checks.memoryName('name', name),
    importance: checks.within('importance', importance, 0, 1),
    ifVersion: checks.ifVersion(ifVersion),
  };
  checks.finish();
  return request;
}

function checkLength(checks: RequestChecks, field: string, length: number, max: number): void {
  if (length < 1 || length > max) checks.add(field, `must be 1 to ${max}, got ${length}`);
}

export function deleteRequestOf({ name, ifVersion, allowMissing }: DeleteMemoryRequest) {
  const checks = new RequestChecks();
  const request = { ...checks.memoryName('name', name), ifVersion: checks.ifVersion(ifVersion), allowMissing };
  checks.finish();
  return request;
}

export function forgetRequestOf(message: ForgetMemoriesRequest) {
  const { parent, all, dryRun } = message;
  const checks = new RequestChecks();
  const namespace = checks.namespace('parent', parent);
  const isSet = message.filter !== undefined || message.filterText !== '';
  if (isSet && all) checks.add(message.filter ? 'filter' : 'filter_text', 'must be absent when all is set');
  if (!isSet && !all) checks.add('filter', 'is required, or filter_text, or all');
  checks.finish();
  const filter = givenFilter(message);
  return { namespace, dryRun, ...(filter ? { filter } : {}) };
}

export function supersedeRequestOf(message: SupersedeMemoryRequest): SupersedeRequest {
  const checks = new RequestChecks();
  const { namespace, id } = checks.memoryName('name', message.name);
  const { memoryId } = message;
  const ifVersion = checks.ifVersion(message.ifVersion);
  const memory = storedDraft(checks, '', namespace, message);
  if (memoryId !== '' && memoryId === id) checks.add('memory_id', 'must differ from the id in name');
  if (memory.supersededBy !== undefined) checks.add('memory.superseded_by', 'must be absent');
  checks.finish();
  const provided = message.memory;
  const inherits = [
    ...(provided?.scope ? [] : (['scope'] as const)),
    ...(provided?.type ? [] : (['type'] as const)),
    ...(provided?.source ? [] : (['source'] as const)),
  ];
  return { namespace, id, ifVersion, memory, inherits };
}

const MASK_LENGTH_MAX = 32;

/** The change of the memory that each path of a mask selects. */
const PATHS: Readonly<Record<string, (input: MemoryInput) => MemoryPatch>> = {
  'scope.project': (input) => scopePart(input, 'project'),
  'scope.agent_type': (input) => scopePart(input, 'agentType'),
  'scope.agent': (input) => scopePart(input, 'agent'),
  'scope.session': (input) => scopePart(input, 'session'),
  type: (input) => ({ type: typeOf(input) }),
  step: (input) => ({ step: stepOf(input) }),
  event_time: (input) => ({ eventAtUs: timeOf(input, 'event_time', input.memory.eventTime) }),
  text: (input) => ({ text: textOf(input) }),
  content: (input) => ({ content: memoryContentOf(input) }),
  tags: (input) => ({ tags: tagsOf(input) }),
  embedding: (input) => ({ embedding: memoryEmbeddingOf(input) }),
  place: (input) => ({ place: memoryPlaceOf(input) }),
  importance: (input) => ({ importance: shareOf(input, 'importance') ?? DEFAULT_IMPORTANCE }),
  priority: (input) => ({ priority: shareOf(input, 'priority') ?? DEFAULT_PRIORITY }),
  source: (input) => ({ source: sourceOf(input) }),
  expire_time: (input) => ({ expiresAtUs: timeOf(input, 'expire_time', input.memory.expireTime) }),
  valid_from: (input) => ({ validFromUs: timeOf(input, 'valid_from', input.memory.validFrom) }),
  valid_until: (input) => ({ validUntilUs: timeOf(input, 'valid_until', input.memory.validUntil) }),
  superseded_by: (input) => ({ supersededBy: supersededByOf(input) }),
};

/** The changes that a mask names; fields outside it are not looked at. */
function patchOf(input: MemoryInput, mask: readonly string[]): MemoryPatch {
  const { checks } = input;
  if (mask.length < 1 || mask.length > MASK_LENGTH_MAX) {
    checks.add('update_mask', `must name 1 to ${MASK_LENGTH_MAX} fields, got ${mask.length}`);
  }
  let patch: MemoryPatch = {};
  for (const [at, path] of mask.slice(0, MASK_LENGTH_MAX).entries()) {
    const read = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
    if (!read) {
      const known = Object.keys(PATHS).join(', ');
      checks.add(`update_mask.paths[${at}]`, `must be one of ${known}, got ${JSON.stringify(path.slice(0, 40))}`);
      continue;
    }
    const part = read(input);
    patch = { ...patch, ...part, ...(part.scope ? { scope: { ...patch.scope, ...part.scope } } : {}) };
  }
  return patch;
}

function scopePart({ checks, field, memory }: MemoryInput, part: keyof Scope): MemoryPatch {
  return { scope: { [part]: scopeOf(checks, `${field}.scope`, memory.scope)[part] } };
}
