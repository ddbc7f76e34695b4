import type { Call } from '../../memory/call.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Memory } from '../../memory/memory.ts';
import type { ListPosition } from '../../storage/memory-store.ts';
import type { MemoryDeps } from './operation-deps.ts';

export interface ExportRequest {
  readonly namespace: string;
  /** Absent: every memory that has not expired. */
  readonly filter?: Filter;
}

export interface ExportedPart {
  readonly memories: readonly Memory[];
  readonly damagedIds: readonly string[];
  readonly sentCount: number;
  readonly totalCount: number;
}

const BATCH = 256;
const BATCH_BYTES = 1_048_576;

/** Reads every memory in full, in the order in which they were stored; gives at least one part, if an empty one. */
export async function* exportMemories(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  request: ExportRequest,
  call: Call,
): AsyncGenerator<ExportedPart> {
  const { memoryCount: totalCount } = await store.statistics(request.namespace);
  const read = { ...request, order: 'create_time_asc', limit: BATCH, bytesMax: BATCH_BYTES, view: 'full' } as const;
  let sentCount = 0;
  let after: ListPosition | undefined;
  do {
    call.signal.throwIfAborted();
    const page = await store.list({ ...read, ...(after ? { after } : {}), nowUs: clock.nowUs() });
    const { memories, damagedIds = [] } = page;
    sentCount += memories.length;
    if (memories.length + damagedIds.length > 0 || !page.next) yield { memories, damagedIds, sentCount, totalCount };
    after = page.next;
  } while (after);
}
