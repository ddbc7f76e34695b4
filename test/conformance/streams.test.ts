import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { InMemoryMemoryStore } from '../../src/storage/in-memory/memory-store.ts';
import { RedisSubscriptions } from '../../src/storage/redis/subscriptions/subscription-store.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { RedisServer } from '../support/redis-server.ts';
import { reusedThreads } from '../support/reused-threads.ts';
import { openTieredStore } from '../support/tiered-store.ts';
import { changeLogSuite } from './change-log.suite.ts';
import { NOW_US } from './memory-store/store-of-test.ts';
import { subscriptionStoreSuite } from './subscription-store.suite.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.started();
});
beforeEach(() => redis.command('FLUSHALL'));
afterAll(() => redis.stop());

async function inMemory() {
  const store = new InMemoryMemoryStore();
  return { store, log: store.log, tiers: store.tiers, subscriptions: store.subscriptions, close: () => store.close() };
}

async function sqlite() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-streams-'));
  const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer, mayUpkeepWait: true });
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, log: store.streams, tiers: store.tiers, subscriptions: store.streams, close };
}

/** A data folder that follows a Redis, as a server has it. */
async function replica() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-streams-'));
  let subscriptions: RedisSubscriptions | undefined;
  const opened = await openTieredStore({
    folder,
    urls: [redis.url],
    onDelete: async (namespace) => subscriptions?.deleteAll(namespace),
  });
  const { store, hot, streams: log } = opened;
  subscriptions = new RedisSubscriptions({
    connection: hot.keyspaces.connection,
    prefix: 'mneme',
    idempotencyRetentionMs: 3_600_000,
    log,
    clock: { nowUs: () => NOW_US },
  });
  const close = async () => {
    await opened.close();
    await rm(folder, { recursive: true });
  };
  return {
    store,
    log,
    tiers: store.tiers,
    subscriptions,
    settled: (name: string) => store.follower.catchUp(name),
    close,
  };
}

for (const [name, create] of [
  ['in-memory', inMemory],
  ['sqlite', sqlite],
  ['sqlite that follows redis', replica],
] as const) {
  changeLogSuite({ name, create });
}

for (const [name, create] of [
  ['in-memory', inMemory],
  ['sqlite', sqlite],
  ['redis', replica],
] as const) {
  subscriptionStoreSuite({ name, create });
}
