import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { RedisMemoryStore } from '../../src/storage/redis/memory-store.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisCluster } from '../support/redis-cluster.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await RedisCluster.started();
}, 240_000);
beforeEach(async () => {
  // Replicas refuse; their masters do it for them.
  await Promise.all(cluster.servers.map((server) => server.command('FLUSHALL').catch(() => undefined)));
});
afterAll(() => cluster.stop());

async function create() {
  const connection = await openRedis({ ...PATIENT_REDIS, urls: cluster.urls.slice(0, 2) });
  const store = new RedisMemoryStore({ connection, prefix: 'mneme', idempotencyRetentionMs: 3_600_000 });
  return { store, tiers: store.tiers, close: () => store.close() };
}

memoryStoreSuite({ name: 'redis cluster of six', create });
tierStoreSuite({ name: 'redis cluster of six', create });
