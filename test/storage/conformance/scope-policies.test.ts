import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemoryMemoryStore } from '../in-memory/memory-store.ts';
import { InMemoryScopePolicies } from '../in-memory/scope-policies.ts';
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
      policies: store.policies,
      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
