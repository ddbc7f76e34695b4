import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { idsOf, put, SPACE } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { beforeChanges, many, withWriter } from './view-of-test.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterAll(async () => {
  await server.stop();
  server.remove();
});

let schemas = 0;
const newSchema = (): string => `start_${++schemas}`;

describe('namespaces that a view had at the end of its server', () => {
  it('reached at the next start › have every write before anything reads them; others are not built', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-demand-'));
    const place = { url: server.url, schema: newSchema(), folder };
    await withWriter(place, {}, async (writer, { store }) => {
      for (const namespace of ['here', 'elsewhere']) await put(writer.store, many(2), { namespace });
      await store.follower.catchUp('here');
    });
    await withWriter(place, {}, async (writer, { store, view }) => {
      await put(writer.store, [newMemory({ id: 'later' })], { namespace: 'here' });
      await store.follower.reachEach(['here', 'elsewhere']);
      expect((await view.statistics('here')).memoryCount).toBe(3);
      expect([store.follower.isComplete('here'), store.follower.isHeld('elsewhere')]).toEqual([true, false]);
    });
    await rm(folder, { recursive: true });
  });

  it('reached at the next start, which takes long › goes on, and a call waits for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-demand-'));
    const place = { url: server.url, schema: newSchema(), folder };
    await withWriter(place, {}, async (writer, { store }) => {
      await put(writer.store, many(2));
      await store.follower.catchUp(SPACE);
    });
    const gate = Promise.withResolvers<void>();
    const around = beforeChanges(() => gate.promise);
    await withWriter(place, { around, buildWaitMs: 10 }, async (_, { store }) => {
      await store.follower.reachEach([SPACE]);
      const isComplete = store.follower.isComplete(SPACE);
      gate.resolve();
      expect(isComplete).toBe(false);
      while (!store.follower.isComplete(SPACE)) await new Promise(setImmediate);
      expect(await idsOf(store)).toHaveLength(2);
    });
    await rm(folder, { recursive: true });
  });
});
