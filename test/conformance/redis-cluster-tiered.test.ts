import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { RedisCluster } from '../support/redis-cluster.ts';
import { openTieredStore } from '../support/tiered-store.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let cluster: RedisCluster;
beforeAll(async () => {
  // No replica takes over while a busy machine lets its master wait.
  cluster = await RedisCluster.started({ nodeTimeoutMs: 15_000 });
}, 60_000);
beforeEach(async () => {
  // Replicas refuse; their masters do it for them.
  await Promise.all(cluster.servers.map((server) => server.command('FLUSHALL').catch(() => undefined)));
});
afterAll(() => cluster.stop());

async function create() {
  const folder = await mkdtemp(join(tmpdir(), 'mneme-tiered-cluster-'));
  const urls = cluster.urls.slice(0, 2);
  const { store, losses, failures, close } = await openTieredStore({ folder, urls, commandTimeoutMs: 20_000 });
  return {
    store,
    tiers: store.tiers,
    close: async () => {
      await close();
      await rm(folder, { recursive: true });
      expect([losses, failures]).toEqual([[], []]);
    },
  };
}

memoryStoreSuite({ name: 'redis cluster of six over sqlite', create });
tierStoreSuite({ name: 'redis cluster of six over sqlite', create });
