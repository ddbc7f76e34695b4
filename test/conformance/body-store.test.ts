import { afterAll, beforeAll } from '@jest/globals';
import { InMemoryBodies } from '../../src/storage/in-memory/body-store.ts';
import { openRedisBodies } from '../support/external-bodies.ts';
import { RedisServer } from '../support/redis-server.ts';
import { bodyStoreSuite } from './body-store.suite.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await RedisServer.started();
});
afterAll(() => redis.stop());

bodyStoreSuite({
  name: 'in-memory',
  create: async () => ({ bodies: new InMemoryBodies(), close: async () => undefined }),
});
bodyStoreSuite({ name: 'redis', create: () => openRedisBodies([redis.url]) });
