import type { Micros } from '../../memory/memory.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';

/** When the first of a namespace's memories that have not happened yet does; `Infinity` when none will. */
export async function nextEventUs(store: Pick<MemoryStore, 'list'>, namespace: string, nowUs: Micros): Promise<Micros> {
  // Without a filter, which would have to be tried on all that has happened: the order alone leads there.
  const { memories, next } = await store.list({
    namespace,
    order: 'event_time_asc',
    after: { value: nowUs, tie: Number.MAX_SAFE_INTEGER },
    limit: 1,
    bytesMax: 1,
    view: 'metadata',
    nowUs,
  });
  return memories[0]?.eventAtUs ?? next?.value ?? Number.POSITIVE_INFINITY;
}
