import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { InMemoryCommandLog } from '../../src/storage/in-memory/command-log.ts';
import { RedisCommandLog } from '../../src/storage/redis/command-log.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';
import { commandLogSuite } from './command-log.suite.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.started();
});
beforeEach(() => server.command('FLUSHALL'));
afterAll(() => server.stop());

commandLogSuite({
  name: 'in-memory',
  create: async () => ({ log: new InMemoryCommandLog(), close: async () => undefined }),
});

commandLogSuite({
  name: 'redis',
  create: async () => {
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
    return { log: new RedisCommandLog(connection, 'mneme:{log:shared}'), close: () => connection.close() };
  },
});
