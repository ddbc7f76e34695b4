import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InMemoryLifecycleEvents } from '../../src/storage/in-memory/sessions/lifecycle-events.ts';
import { InMemorySessionStore } from '../../src/storage/in-memory/sessions/session-store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { SqliteSessionStore } from '../../src/storage/sqlite/sessions/session-store.ts';
import { sessionStoreSuite } from './session-store.suite.ts';

const idempotencyRetentionMs = 3_600_000;

sessionStoreSuite({
  name: 'in-memory',
  create: async () => {
    const store = new InMemorySessionStore({ idempotencyRetentionMs, events: new InMemoryLifecycleEvents() });
    return { store, close: () => store.close() };
  },
});

sessionStoreSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-sessions-'));
    const memories = await openSqliteStore({ folder, idempotencyRetentionMs });
    for (const name of ['space', 'space-2']) {
      await memories.createNamespace({ name, description: '', memoryLimit: 0, atUs: 1 });
    }
    return {
      store: new SqliteSessionStore(memories),
      close: async () => {
        await memories.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});
