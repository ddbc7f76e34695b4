import type { Call } from '../../memory/call.ts';
import type { Filter } from '../../memory/filter.ts';
import type { MemoryView } from '../../memory/memory.ts';
import { type ValidityView, validFilter } from '../../memory/validity.ts';
import type { ListOrder, ListPage, ListPosition } from '../../storage/memory-store.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { waitForRevision } from './wait-for-revision.ts';

export interface ListRequest {
  readonly namespace: string;
  readonly filter?: Filter;
  readonly validity: ValidityView;
  readonly order: ListOrder;
  readonly limit: number;
  readonly bytesMax: number;
  readonly after?: ListPosition;
  readonly view: MemoryView;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

/** Reads one page; the revision is one that the page has in full. */
export async function listMemories(
  { store, clock }: Pick<MemoryDeps, 'store' | 'clock'>,
  { minRevision, filter, validity, ...read }: ListRequest,
  call: Call,
): Promise<ListPage & { readonly revision: number }> {
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  const { revision } = store;
  const nowUs = clock.nowUs();
  const listed = validFilter(filter, validity, nowUs);
  return { ...(await store.list({ ...read, ...(listed ? { filter: listed } : {}), nowUs })), revision };
}
