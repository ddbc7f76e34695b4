import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parsedContent } from '../../../src/memory/derive-text.ts';
import { admits } from '../../../src/memory/evaluate-filter.ts';
import type { Memory } from '../../../src/memory/memory.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { sized } from '../../support/all-tests.ts';
import { POSTGRES_VERSIONS, PostgresServer } from '../../support/postgres-server.ts';
import { seededRandom } from '../../support/random.ts';
import { randomFilter, wholesOf } from '../../support/random-filters.ts';
import { randomMemory } from '../../support/random-memories.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { openViewedStore } from '../../support/viewed-store.ts';
import type { WholeStore } from '../../support/whole-store.ts';
import { idsOf, NOW_US, put, SPACE } from './memory-store/store-of-test.ts';

const MEMORIES = 300;

interface Backend {
  readonly name: string;
  readonly filters: number;
  open(folder: string): Promise<{ store: WholeStore; close(): Promise<unknown> }>;
}

const backends: readonly Backend[] = [
  {
    name: 'SQLite',
    filters: sized({ sample: 500, nightly: 2000 }),
    open: async (folder) => {
      const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
      return { store, close: () => store.close() };
    },
  },
  // A view runs the same queries on what it has copied from PostgreSQL.
  ...POSTGRES_VERSIONS.map((version) => ({
    name: `the view of PostgreSQL ${version}`,
    filters: sized({ sample: 60, nightly: 250 }),
    open: async (folder: string) => {
      const server = await PostgresServer.started({ version, parameters: { fsync: 'off' } });
      const { store, close, failures } = await openViewedStore({ url: server.url, folder });
      return {
        store,
        close: async () => {
          await close();
          await server.stop();
          server.remove();
          expect(failures).toEqual([]);
        },
      };
    },
  })),
];

describe.each(backends)('filters in $name', ({ filters: filterCount, open }) => {
  const random = seededRandom('filter-property');
  let folder: string;
  let store: WholeStore;
  let close: () => Promise<unknown>;
  let memories: readonly Memory[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mneme-filter-'));
    ({ store, close } = await open(folder));
    const stored = Array.from({ length: MEMORIES }, (_, number) => randomMemory(random, `m${number}`));
    const { memories: receipts } = await put(store, stored);
    // Compares inputs, not outputs, so that reads are tested too.
    memories = stored.map((memory, at) => ({ ...memory, namespace: SPACE, revision: receipts[at]?.revision ?? 0 }));
  });
  afterAll(async () => {
    await close();
    await rm(folder, { recursive: true });
  });

  it('any filter over any memories › list and count return exactly the memories that the evaluator admits', async () => {
    const wholes = memories.flatMap(({ content }) => wholesOf(parsedContent(content)));
    let admitted = 0;
    for (let number = 0; number < filterCount; number++) {
      const filter = randomFilter(random, wholes);
      const expected = memories.filter((memory) => admits(filter, memory)).map(({ id }) => id);
      const listed = await idsOf(store, { filter, view: 'metadata' });
      const counts = await store.count({ namespace: SPACE, filter, nowUs: NOW_US });
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const wrong = differences(listed, expected);
      if (wrong.length > 0 || total !== expected.length) {
        const first = memories.find(({ id }) => id === wrong[0]);
        const content = first?.content && Buffer.from(first.content.data).toString();
        const details = JSON.stringify({ number, filter, wrong, first, content }, undefined, 1);
        throw new Error(`admitted ${expected.length}, counted ${total}, listed ${listed.length}: ${details}`);
      }
      if (expected.length > 0 && expected.length < MEMORIES) admitted++;
    }
    // Most filters must distinguish memories, or the test proves little.
    expect(admitted).toBeGreaterThan(filterCount / 4);
  }, 240_000);
});

function differences(one: readonly string[], other: readonly string[]): string[] {
  const [ofOne, ofOther] = [new Set(one), new Set(other)];
  return [...one.filter((id) => !ofOther.has(id)), ...other.filter((id) => !ofOne.has(id))];
}
