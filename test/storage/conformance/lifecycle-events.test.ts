import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { openRedis } from '../../../src/storage/redis/open-connection.ts';
import { RedisLifecycleEvents } from '../../../src/storage/redis/sessions/lifecycle-events.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { sqliteLifecycleEvents } from '../../../src/storage/sqlite/store-parts.ts';
import { PATIENT_REDIS } from '../../support/patient-redis.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemoryLifecycleEvents } from '../in-memory/sessions/session-store.ts';
import { lifecycleEventsSuite } from './lifecycle-events.suite.ts';

let redis: RedisServer;
let count = 0;
beforeAll(async () => {
  redis = await RedisServer.started();
});
afterAll(() => redis.stop());

lifecycleEventsSuite({
  name: 'in-memory',
  create: async () => ({ events: new InMemoryLifecycleEvents(), close: async () => {} }),
});

lifecycleEventsSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-events-'));
    const store = await openSqliteStore({ folder, writerThreads: reusedThreads().writer });
    return {
      events: sqliteLifecycleEvents(store),
      close: async () => {
        await store.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});

lifecycleEventsSuite({
  name: 'redis',
  create: async () => {
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    count += 1;
    return { events: new RedisLifecycleEvents(connection, `events-${count}`), close: () => connection.close() };
  },
});
