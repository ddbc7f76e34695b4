import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { RedisServer } from '../support/redis-server.ts';
import { openSharedStore } from '../support/shared-store.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

const create = async () => {
  const { store, close } = await openSharedStore({ url: server.url });
  return { store, tiers: store.tiers, close };
};

memoryStoreSuite({ name: 'shared log in redis', create });
tierStoreSuite({ name: 'shared log in redis', create });
