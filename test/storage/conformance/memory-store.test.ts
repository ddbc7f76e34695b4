import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemoryMemoryStore } from '../in-memory/memory-store.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';

const idempotencyRetentionMs = 3_600_000;

memoryStoreSuite({
  name: 'in-memory',
  create: async () => {
    const store = new InMemoryMemoryStore({ idempotencyRetentionMs });
    return { store, close: () => store.close() };
  },
});

memoryStoreSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-store-'));
    const store = await openSqliteStore({
      folder,
      writerThreads: reusedThreads().writer,
      mayUpkeepWait: true,
      idempotencyRetentionMs,
    });
    return {
      store,
      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
