import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Filter } from '../../../src/memory/filter.ts';
import type { ListOrder } from '../../../src/storage/records.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../../src/storage/sqlite/memory-store.ts';
import { newMemory } from '../../support/new-memory.ts';
import { idsOf, put } from '../conformance/memory-store/store-of-test.ts';

/** More than the store sorts: it scans the order's index instead. */
const COUNT = 12_000;
const ORDERS: readonly ListOrder[] = ['create_time_desc', 'event_time_asc', 'importance_desc', 'step_asc', 'step_desc'];
const content = { mediaType: 'application/json', data: Buffer.from('{"even":true}') };
const filters: readonly Filter[] = [
  {
    kind: 'comparison',
    target: { kind: 'path', path: ['even'] },
    operator: 'equals',
    values: [true],
    ignoreCase: false,
  },
  {
    kind: 'comparison',
    target: { kind: 'field', field: 'tag' },
    operator: 'equals',
    values: ['even'],
    ignoreCase: false,
  },
  {
    kind: 'comparison',
    target: { kind: 'field', field: 'type' },
    operator: 'equals',
    values: ['even'],
    ignoreCase: false,
  },
];

describe('list with a filter that admits thousands', () => {
  let folder: string;
  let store: SqliteMemoryStore;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-many-'));
    store = await openSqliteStore({ folder });
    for (let from = 0; from < COUNT; from += 1000) {
      await put(
        store,
        Array.from({ length: 1000 }, (_, at) => memoryOf(from + at)),
      );
    }
  }, 240_000);
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it.each(ORDERS)(
    '%s › every one once, in the order of the list without a filter',
    async (order) => {
      const expected = (await idsOf(store, { order, view: 'metadata' })).filter((id) => id.endsWith('even'));
      expect(expected).toHaveLength(COUNT / 2);
      for (const filter of filters) expect(await idsOf(store, { order, filter, view: 'metadata' })).toEqual(expected);
    },
    240_000,
  );
});

function memoryOf(number: number) {
  const isEven = number % 2 === 0;
  return newMemory({
    id: `${number}-${isEven ? 'even' : 'odd'}`,
    text: '',
    createdAtUs: (number * 7919) % COUNT,
    eventAtUs: (number * 104_729) % COUNT,
    importance: (number % 11) / 10,
    ...(number % 3 === 0 && { step: number % 100 }),
    ...(isEven && { type: 'even', tags: ['even'], content }),
  });
}
