import { memoryDamaged } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import type { ListPage, ListPosition, ListRead, MemoryStore } from '../../storage/memory-store.ts';

/** What is read from the store at once. */
const PAGE_BYTES = 3_145_728;
const PAGE_MEMORIES = 500;

/** The first memories of a list, over as many pages as they take. */
export async function listUpTo(
  store: MemoryStore,
  { limit, ...read }: Omit<ListRead, 'after' | 'bytesMax'>,
): Promise<Memory[]> {
  const memories: Memory[] = [];
  for await (const memory of listAll(store, read, limit)) memories.push(memory);
  return memories;
}

/** Fails with CHECKSUM_MISMATCH where a page lacks a memory because it is damaged: for what is nothing without all of it. */
export function checkWhole(namespace: string, { damagedIds: [damaged] = [] }: ListPage): void {
  if (damaged !== undefined) throw memoryDamaged(namespace, damaged);
}

/** The memories of a list one by one, at most `limit`. Fails with CHECKSUM_MISMATCH. */
export async function* listAll(
  store: MemoryStore,
  read: Omit<ListRead, 'after' | 'bytesMax' | 'limit'>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Memory, void, undefined> {
  let left = limit;
  let after: ListPosition | undefined;
  while (left > 0) {
    const page = await store.list({
      ...read,
      limit: Math.min(left, PAGE_MEMORIES),
      bytesMax: PAGE_BYTES,
      ...(after ? { after } : {}),
    });
    checkWhole(read.namespace, page);
    yield* page.memories;
    left -= page.memories.length;
    if (!page.next) return;
    after = page.next;
  }
}
