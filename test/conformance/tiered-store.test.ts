import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { RedisServer } from '../support/redis-server.ts';
import { tieredStoreForSuite } from '../support/tiered-store.ts';
import { memoryStoreSuite } from './memory-store.suite.ts';
import { tierStoreSuite } from './tier-store.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

const create = () => tieredStoreForSuite({ urls: [server.url] });

memoryStoreSuite({ name: 'redis over sqlite', create });
tierStoreSuite({ name: 'redis over sqlite', create });
