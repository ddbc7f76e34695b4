import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteAgentSnapshots } from '../../../src/storage/sqlite/agents/agent-snapshots.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemoryAgentSnapshots } from '../in-memory/agent-snapshots.ts';
import { InMemoryMemoryStore } from '../in-memory/memory-store.ts';
import { agentSnapshotsSuite } from './agent-snapshots.suite.ts';

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
      agents: sqliteAgentSnapshots(store),
      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
