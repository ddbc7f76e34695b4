import type { Call } from '../../../memory/call.ts';
import { isNamespaceMissing } from '../../../memory/errors.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { ListPosition } from '../../../storage/records.ts';
import { turns } from '../turns.ts';
import { checkExpiry } from './check-expiry.ts';
import { readWithin } from './get-memories.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { type StoreRequest, storeMemories } from './store-memories.ts';

/** Progress of an import; each count includes the preceding parts. */
export interface ImportProgress {
  readonly acknowledgedCount: number;
  readonly storedCount: number;
  readonly skippedCount: number;
  readonly revision: number;
}

/** Stores batch after batch, each as a whole, and reports each once it is on disk. */
export async function* importMemories(
  deps: MemoryDeps,
  batches: AsyncIterable<StoreRequest>,
  call: Call,
): AsyncGenerator<ImportProgress> {
  let [acknowledgedCount, storedCount, skippedCount] = [0, 0, 0];
  for await (const batch of batches) {
    await checkExpiry(deps, batch, {}, (at) => `memories[${at}]`);
    const request = batch.onConflict === 'replace' ? await withTimesKept(deps, batch) : batch;
    const { memories, revision } = await storeMemories(deps, request, call);
    acknowledgedCount++;
    for (const { written } of memories) written ? storedCount++ : skippedCount++;
    yield { acknowledgedCount, storedCount, skippedCount, revision };
  }
}

/**
 * A memory without create time keeps the stored one, if it exists. Otherwise the same message sent twice would get two
 * create times, and replace itself.
 */
export async function withTimesKept({ store, clock }: MemoryDeps, request: StoreRequest): Promise<StoreRequest> {
  const nowUs = clock.nowUs();
  const ids = request.memories.flatMap(({ id, past }) => (id && past?.createdAtUs === undefined ? [id] : []));
  if (ids.length === 0) return request;
  const present = new Map<string, Memory>();
  for (const memory of await found(store, request.namespace, ids, nowUs)) if (memory) present.set(memory.id, memory);
  const memories = request.memories.map((draft) => {
    const old = draft.past?.createdAtUs === undefined && draft.id ? present.get(draft.id) : undefined;
    if (!old) return draft;
    const past = { retrievalCount: 0, updatedAtUs: nowUs, ...draft.past, createdAtUs: old.createdAtUs };
    return { ...draft, past };
  });
  return { ...request, memories };
}

async function found(store: MemoryDeps['store'], namespace: string, ids: readonly string[], nowUs: number) {
  try {
    const read = { namespace, ids, view: 'metadata', nowUs } as const;
    // A damaged memory is replaced as a whole.
    return (await readWithin(store, read, Number.MAX_SAFE_INTEGER)).memories;
  } catch (error) {
    // The import itself may create the namespace.
    if (isNamespaceMissing(error)) return [];
    throw error;
  }
}

export interface ExportRequest {
  readonly namespace: string;
  /** Absent: every memory that has not expired. */
  readonly filter?: Filter;
}

export interface ExportedPart {
  readonly memories: readonly Memory[];
  readonly damagedIds: readonly string[];
  readonly sentCount: number;
  /** Memories that the caller might read when the export began, before the filter. */
  readonly totalCount: number;
}

/** A page is a step of some milliseconds. */
const BATCH = 64;
const BATCH_BYTES = 262_144;

/** Reads every memory in full, in the order of storing; yields at least one part, possibly empty. */
export async function* exportMemories(
  { view, clock }: Pick<MemoryDeps, 'view' | 'clock'>,
  request: ExportRequest,
  call: Call,
): AsyncGenerator<ExportedPart> {
  const { namespace } = request;
  const tiers = await view.count({ namespace, nowUs: clock.nowUs(), deadlineAtMs: call.deadlineAtMs, asker: call });
  const totalCount = [...tiers.values()].reduce((sum, count) => sum + count, 0);
  const read = { ...request, order: 'create_time_asc', limit: BATCH, bytesMax: BATCH_BYTES, view: 'full' } as const;
  let sentCount = 0;
  let after: ListPosition | undefined;
  do {
    await turns.waitBehind();
    call.signal.throwIfAborted();
    const page = await view.list({ ...read, after, nowUs: clock.nowUs() });
    const { memories, damagedIds = [] } = page;
    sentCount += memories.length;
    if (memories.length + damagedIds.length > 0 || !page.next) yield { memories, damagedIds, sentCount, totalCount };
    after = page.next;
  } while (after);
}
