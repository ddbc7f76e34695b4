import type { ErrorReason } from '../../../../src/memory/errors.ts';
import type { Memory } from '../../../../src/memory/memory.ts';
import type { Change, ListRead, NewMemory, StoreWrite, WriteOutcome } from '../../../../src/storage/records.ts';
import type { WholeStore } from '../../../support/whole-store.ts';

/** The store of the running test. */
export type StoreOfTest = () => WholeStore;

export const NOW_US = 1_800_000_000_000_000;
export const SPACE = 'space';

/** Stores memories in the namespace of the tests, which is created if needed. */
export function put(
  store: Pick<WholeStore, 'write'>,
  memories: readonly NewMemory[],
  options: Partial<StoreWrite> = {},
): Promise<WriteOutcome> {
  return store.write({
    kind: 'store',
    namespace: SPACE,
    createNamespace: true,
    onConflict: 'fail',
    atUs: NOW_US,
    memories,
    ...options,
  });
}

export async function getOne(store: WholeStore, id: string, nowUs = NOW_US): Promise<Memory | undefined> {
  const [memory] = await store.get({ namespace: SPACE, ids: [id], view: 'full', nowUs });
  return memory;
}

export function listRead(options: Partial<ListRead> = {}): ListRead {
  return {
    namespace: SPACE,
    order: 'create_time_asc',
    limit: 1000,
    bytesMax: 1_000_000,
    view: 'basic',
    nowUs: NOW_US,
    ...options,
  };
}

/** Ids of all pages, in order. */
export async function idsOf(store: WholeStore, options: Partial<ListRead> = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let read = listRead(options); ; ) {
    const page = await store.list(read);
    ids.push(...page.memories.map(({ id }) => id));
    if (!page.next) return ids;
    read = { ...read, after: page.next };
  }
}

export function deletionOf(ids: readonly string[]): Change<'delete'> {
  return { kind: 'delete', namespace: SPACE, ids, cause: 'deleted', mustExist: true, atUs: NOW_US };
}

/** What a failing call rejects with: `await expect(call).rejects.toMatchObject(because('MEMORY_EXISTS'))`. */
export function because(reason: ErrorReason): { name: string; reason: ErrorReason } {
  return { name: 'MnemeError', reason };
}

/** Values of a vector as plain numbers, and bytes as plain numbers, for comparison. */
export function plain(memory: Memory | undefined): unknown {
  if (!memory) return undefined;
  const { content, embedding, ...rest } = memory;
  return {
    ...rest,
    ...(content && { content: { mediaType: content.mediaType, data: [...content.data] } }),
    ...(embedding && { embedding: { model: embedding.model, values: [...embedding.values] } }),
  };
}
