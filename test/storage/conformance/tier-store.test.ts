import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemoryMemoryStore } from '../in-memory/memory-store.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

tierStoreSuite({
  name: 'in-memory',
  create: async () => {
    const store = new InMemoryMemoryStore();
    return { store, close: () => store.close() };
  },
});

tierStoreSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-tiers-'));
    const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer, mayUpkeepWait: true });
    return {
      store,

      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
