import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { RedisCluster } from '../support/redis-cluster.ts';
import { tieredStoreForSuite } from '../support/tiered-store.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let cluster: RedisCluster;
beforeAll(async () => {
  cluster = await RedisCluster.started();
}, 240_000);
beforeEach(async () => {
  // Replicas refuse the command; it reaches their data through the masters.
  await Promise.all(cluster.servers.map((server) => server.command('FLUSHALL').catch(() => undefined)));
});
afterAll(() => cluster.stop());

const create = () => tieredStoreForSuite({ urls: cluster.urls.slice(0, 2) });

memoryStoreSuite({ name: 'redis cluster of six over sqlite', create });
tierStoreSuite({ name: 'redis cluster of six over sqlite', create });
