import { expect } from '@jest/globals';
import { FULL_RESOLUTION } from '../../src/memory/resolution/resolution.ts';
import type { LoggedRecords } from '../../src/storage/record-log.ts';
import type { Change } from '../../src/storage/records.ts';
import { NOW_US, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../support/viewed-store.ts';

type Options = Partial<Parameters<typeof openViewedStore>[0]>;

/** Nothing fits: every namespace that is not in use is evicted. */
export const EVERYTHING = { diskBytesMax: 1 };
export const many = (count: number) => Array.from({ length: count }, (_, at) => newMemory({ id: `m${at}` }));

/** A server that writes, and the view of another one. */
export async function withWriter(
  place: { readonly url: string; readonly schema: string },
  options: Options,
  work: (writer: RecordsOfTest, viewed: ViewedStoreOfTest) => Promise<void>,
): Promise<void> {
  const writer = await openRecords(place);
  const viewed = await openViewedStore({ ...place, ...options });
  try {
    await work(writer, viewed);
  } finally {
    await viewed.close();
    await writer.close();
  }
  expect([...viewed.failures, ...writer.failures]).toEqual([]);
}

/** Calls the function before each read of the log of a namespace. */
export function beforeChanges(before: (namespace: string) => Promise<void> | void) {
  return (records: LoggedRecords): LoggedRecords =>
    new Proxy(records, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        if (name !== 'changes') return (value as (...args: unknown[]) => unknown).bind(target);
        return async (read: Parameters<LoggedRecords['changes']>[0]) => {
          await before(read.namespace);
          return target.changes(read);
        };
      },
    });
}

/** A namespace is not evicted in the moment in which it is followed. */
export async function evictAll(store: ViewedStoreOfTest['store']): Promise<void> {
  do await store.budget.look();
  while (store.viewState.namespaceCount > 0);
}

export async function evictOne({ follower }: ViewedStoreOfTest['store']): Promise<void> {
  while (!(await follower.evictLeastUsed())) await new Promise(setImmediate);
}

export function demotionOf(ids: readonly string[]): Change<'move'> {
  return { kind: 'move', namespace: SPACE, ids, to: 'long_term', resolution: FULL_RESOLUTION, atUs: NOW_US };
}
