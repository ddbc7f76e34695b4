import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

async function create() {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  const store = new RedisMemoryStore({ connection, prefix: 'mneme', idempotencyRetentionMs: 3_600_000 });
  return { store, tiers: store.tiers, close: () => store.close() };
}

memoryStoreSuite({ name: 'redis', create });
tierStoreSuite({ name: 'redis', create });
