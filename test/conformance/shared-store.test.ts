import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { RedisServer } from '../support/redis-server.ts';
import { openSharedStore } from '../support/shared-store.ts';
import { backendSuite } from './backend.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

backendSuite({ name: 'shared log in redis', create: () => openSharedStore({ url: server.url }) });
