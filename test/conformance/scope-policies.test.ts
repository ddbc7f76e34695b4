import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { InMemoryMemoryStore } from '../../src/storage/in-memory/memory-store.ts';
import { InMemoryScopePolicies } from '../../src/storage/in-memory/scope-policies.ts';
import { SqliteScopePolicies } from '../../src/storage/sqlite/agents/scope-policies.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { RedisServer } from '../support/redis-server.ts';
import { reusedThreads } from '../support/reused-threads.ts';
import { openSharedStore } from '../support/shared-store.ts';
import { scopePoliciesSuite } from './scope-policies.suite.ts';

scopePoliciesSuite({
  name: 'in-memory',
  create: async () => {
    const store = new InMemoryMemoryStore();
    return { store, policies: new InMemoryScopePolicies(store), close: () => store.close() };
  },
});

scopePoliciesSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-policies-'));
    const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
    return {
      store,
      policies: new SqliteScopePolicies(store),
      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

scopePoliciesSuite({
  name: 'shared log in redis',
  create: async () => {
    const { store, close } = await openSharedStore({ url: server.url });
    return { store, policies: new SqliteScopePolicies(store), close };
  },
});
