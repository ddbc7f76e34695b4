import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemoryMemoryStore } from '../in-memory/memory-store.ts';
import { changeLogSuite } from './change-log.suite.ts';
import { subscriptionStoreSuite } from './subscription-store.suite.ts';

async function inMemory() {
  const store = new InMemoryMemoryStore();
  return { store, log: store.log, subscriptions: store.subscriptions, close: () => store.close() };
}

async function sqlite() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-streams-'));
  const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer, mayUpkeepWait: true });
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, log: store.streams, subscriptions: store.streams, close };
}

for (const [name, create] of [
  ['in-memory', inMemory],
  ['sqlite', sqlite],
] as const) {
  changeLogSuite({ name, create });
}

for (const [name, create] of [
  ['in-memory', inMemory],
  ['sqlite', sqlite],
] as const) {
  subscriptionStoreSuite({ name, create });
}
