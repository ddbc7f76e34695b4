import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { systemClock } from '../../src/memory/clock.ts';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { openSqliteStore } from '../../src/storage/sqlite/memory-store.ts';
import { TieredMemoryStore } from '../../src/storage/tiered/memory-store.ts';
import { RedisServer } from '../support/redis-server.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

const idempotencyRetentionMs = 3_600_000;

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

async function create() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-tiered-'));
  const cold = await openSqliteStore({ folder, idempotencyRetentionMs });
  const connection = await openRedis({
    urls: [server.url],
    connectTimeoutMs: 2000,
    commandTimeoutMs: 5000,
    retryAfterMs: 100,
    nowMs: () => performance.now(),
  });
  const revisionFloor = () => cold.revision;
  const options = { connection, prefix: 'mneme', idempotencyRetentionMs, revisionFloor, isRecovered: true };
  const hot = new RedisMemoryStore(options);
  const fail = (...told: unknown[]) => {
    throw new Error(`not expected: ${told.join(' ')}`);
  };
  const store = new TieredMemoryStore({ hot, cold, clock: systemClock, onLoss: fail, onFailure: fail });
  const close = async () => {
    await store.close();
    await rm(folder, { recursive: true });
  };
  return { store, tiers: store.tiers, close };
}

memoryStoreSuite({ name: 'redis over sqlite', create });
tierStoreSuite({ name: 'redis over sqlite', create });
