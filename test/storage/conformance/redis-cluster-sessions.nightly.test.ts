import { afterAll, beforeAll } from '@jest/globals';
import { MnemeError } from '../../../src/memory/errors.ts';
import type { RedisConnection } from '../../../src/storage/redis/connection.ts';
import { openRedis } from '../../../src/storage/redis/open-connection.ts';
import { RedisLifecycleEvents } from '../../../src/storage/redis/sessions/lifecycle-events.ts';
import { RedisSessionStore } from '../../../src/storage/redis/sessions/session-store.ts';
import { PATIENT_REDIS } from '../../support/patient-redis.ts';
import { RedisCluster } from '../../support/redis-cluster.ts';
import { InMemorySeenKeyspaces } from '../in-memory/scope-policies.ts';
import { lifecycleEventsSuite } from './lifecycle-events.suite.ts';
import { sessionStoreSuite } from './session-store.suite.ts';

let cluster: RedisCluster;
let count = 0;
beforeAll(async () => {
  cluster = await RedisCluster.started();
}, 240_000);
afterAll(() => cluster.stop());

function connect(): Promise<RedisConnection> {
  count += 1;
  return openRedis({ ...PATIENT_REDIS, urls: cluster.urls.slice(0, 2) });
}

sessionStoreSuite({
  name: 'redis cluster of six',
  create: async () => {
    const connection = await connect();
    const store = new RedisSessionStore(connection, {
      prefix: `test-${count}`,
      pollMs: 20,
      retentionMs: 3_600_000,
      seen: new InMemorySeenKeyspaces(),
      lossHoldMs: 60_000,
      checkNamespace: async (name) => {
        if (!/^space(-2)?$/.test(name)) throw new MnemeError('NAMESPACE_NOT_FOUND', name);
        return { createdAtUs: 0 };
      },
    });
    return {
      store,
      close: async () => {
        await store.close();
        await connection.close();
      },
    };
  },
});

lifecycleEventsSuite({
  name: 'redis cluster of six',
  create: async () => {
    const connection = await connect();
    return { events: new RedisLifecycleEvents(connection, `events-${count}`), close: () => connection.close() };
  },
});
