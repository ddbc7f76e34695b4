import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { InMemoryAgentSnapshots } from '../../src/storage/in-memory/agent-snapshots.ts';
import { InMemoryMemoryStore } from '../../src/storage/in-memory/memory-store.ts';
import { SqliteAgentSnapshots } from '../../src/storage/sqlite/agents/agent-snapshots.ts';
import { openSqliteStore, type SqliteMemoryStore } from '../../src/storage/sqlite/memory-store.ts';
import { TieredAgentSnapshots } from '../../src/storage/tiered/agent-snapshots.ts';
import { RedisServer } from '../support/redis-server.ts';
import { reusedThreads } from '../support/reused-threads.ts';
import { openTieredStore } from '../support/tiered-store.ts';
import { agentSnapshotsSuite } from './agent-snapshots.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

agentSnapshotsSuite({
  name: 'in-memory',
  create: async () => {
    const store = new InMemoryMemoryStore();
    return { store, agents: new InMemoryAgentSnapshots(store), close: () => store.close() };
  },
});

agentSnapshotsSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-snapshots-'));
    const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
    return {
      store,
      agents: new SqliteAgentSnapshots(store),
      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});

agentSnapshotsSuite({
  name: 'redis over sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-snapshots-'));
    const { store, hot, cold, close } = await openTieredStore({ folder, urls: [server.url] });
    const { ownership, follower } = store;
    const agents = new SqliteAgentSnapshots(cold as SqliteMemoryStore);
    return {
      store,
      agents: new TieredAgentSnapshots({ agents, hot, ownership, follower }),
      close: async () => {
        await close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
