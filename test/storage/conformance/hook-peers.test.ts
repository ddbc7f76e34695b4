import { afterAll, beforeAll } from '@jest/globals';
import { openRedis } from '../../../src/storage/redis/open-connection.ts';
import { RedisHookPeers } from '../../../src/storage/redis/sessions/hook-peers.ts';
import { PATIENT_REDIS } from '../../support/patient-redis.ts';
import { RedisCluster } from '../../support/redis-cluster.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { HookHub, InMemoryHookPeers } from '../in-memory/hook-peers.ts';
import { hookPeersSuite } from './hook-peers.suite.ts';

let redis: RedisServer;
let cluster: RedisCluster;
let count = 0;
beforeAll(async () => {
  redis = await RedisServer.started();
  cluster = await RedisCluster.started();
}, 240_000);
afterAll(async () => {
  await redis.stop();
  await cluster.stop();
});

hookPeersSuite({
  name: 'in-memory',
  create: async () => {
    const hub = new HookHub();
    const servers = [new InMemoryHookPeers(hub), new InMemoryHookPeers(hub), new InMemoryHookPeers(hub)] as const;
    return { servers, close: async () => {} };
  },
});

async function overRedis(urls: readonly string[]) {
  const options = { ...PATIENT_REDIS, urls };
  count += 1;
  const prefix = `hooks-${count}`;
  const connection = await openRedis(options);
  const connect = () => openRedis(options);
  const made = { redis: connection, prefix, connect, waitMs: 1000, leaseMs: 60_000 };
  const servers = [new RedisHookPeers(made), new RedisHookPeers(made), new RedisHookPeers(made)] as const;
  return {
    servers,
    close: async () => {
      for (const server of servers) await server.close();
      await connection.close();
    },
  };
}

hookPeersSuite({ name: 'redis', create: () => overRedis([redis.url]) });
hookPeersSuite({ name: 'redis cluster of six', create: () => overRedis(cluster.urls.slice(0, 2)) });
