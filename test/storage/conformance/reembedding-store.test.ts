import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { brokenRules } from '../../fault/postgres-rules.ts';
import { newMemory } from '../../support/new-memory.ts';
import { POSTGRES_VERSIONS, PostgresServer } from '../../support/postgres-server.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { openViewedStore, type ViewedStoreOfTest } from '../../support/viewed-store.ts';
import { NOW_US, put, SPACE } from './memory-store/store-of-test.ts';
import { reembeddingStoreSuite } from './reembedding-store.suite.ts';

reembeddingStoreSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-reembedding-'));
    const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
    const close = async () => {
      await store.close();
      await rm(folder, { recursive: true });
    };
    return { store, reembeddings: store.reembedding, close };
  },
});

describe.each(POSTGRES_VERSIONS)('PostgreSQL %s', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.started({ version, parameters: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    server.remove();
  });

  let schemas = 0;
  reembeddingStoreSuite({
    name: 'postgres',
    create: async () => {
      const schema = `reembedding_${++schemas}`;
      const { store, records, failures, close } = await openViewedStore({ url: server.url, schema });
      return {
        store,
        reembeddings: records.reembeddings,
        close: async () => {
          await records.settled();
          await close();
          expect(failures).toEqual([]);
          expect(await brokenRules(server.url, schema)).toEqual([]);
        },
      };
    },
  });

  describe('vectors that servers recompute together', () => {
    const embedding = { model: 'old', values: Float32Array.of(1, 2) };
    const memories = () => ['a', 'b', 'c'].map((id) => newMemory({ id, embedding }));
    const LIST = {
      namespace: SPACE,
      order: 'create_time_asc',
      limit: 100,
      bytesMax: 1e9,
      view: 'full',
      nowUs: NOW_US,
    } as const;
    const listed = async ({ store }: ViewedStoreOfTest) =>
      (await store.list(LIST)).memories.map((one) => [one.id, one.embedding?.model, ...(one.embedding?.values ?? [])]);

    it('begun at one, finished at the other › both views have the new vectors, and changes of before and after', async () => {
      const schema = 'together';
      const [one, other] = await Promise.all([1, 2].map(() => openViewedStore({ url: server.url, schema })));
      if (!one || !other) throw new Error('two servers');
      await put(one.store, memories());
      await listed(one);
      await one.records.reembeddings.beginReembedding({ namespace: SPACE, model: 'new', dimension: 1, atUs: NOW_US });
      const { reembeddings } = other.records;
      const texts = await reembeddings.reembeddingBatch({ namespace: SPACE, limit: 10 });
      const vectors = texts.map(({ key, checksum }) => ({ key, checksum, values: Float32Array.of(key) }));
      await reembeddings.setReembedded({ namespace: SPACE, model: 'new', vectors });
      // The view of the first is at the change before; the other one has followed nothing.
      await one.store.write({ kind: 'update', namespace: SPACE, id: 'b', changes: { importance: 0.9 }, atUs: NOW_US });
      expect(await reembeddings.finishReembedding({ namespace: SPACE, model: 'new', atUs: NOW_US })).toBe(true);
      await put(other.store, [newMemory({ id: 'd', embedding: { model: 'new', values: Float32Array.of(4) } })]);
      const expected = ['a', 'b', 'c', 'd'].map((id, at) => [id, 'new', at + 1]);
      expect(await listed(one)).toEqual(expected);
      expect(await listed(other)).toEqual(expected);
      const namespace = await one.streams.watchedNamespace(SPACE);
      const { changes } = await one.streams.readChanges({ namespace, afterRevision: 0, limit: 100, bytesMax: 1e9 });
      const kinds = changes.map(({ kind, id }) => `${kind} ${id}`);
      expect(kinds).toContain(`vectors_replaced ${SPACE}`);
      expect(kinds.filter((text) => text === 'updated b')).toHaveLength(1);
      expect([...one.failures, ...other.failures]).toEqual([]);
      await one.records.settled();
      await one.close();
      await other.close();
      expect(await brokenRules(server.url, schema)).toEqual([]);
    });
  });
});
