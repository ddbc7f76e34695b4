import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { MnemeError } from '../../../src/memory/errors.ts';
import { openRedis } from '../../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../../src/storage/redis/sessions/session-store.ts';
import { openFallbackSessions } from '../../../src/storage/sessions/fallback/fallback-session-store.ts';
import { openSqliteStore } from '../../../src/storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../../src/storage/sqlite/sessions/session-store.ts';
import { PATIENT_REDIS } from '../../support/patient-redis.ts';
import { RedisServer } from '../../support/redis-server.ts';
import { reusedThreads } from '../../support/reused-threads.ts';
import { InMemorySeenKeyspaces } from '../in-memory/scope-policies.ts';
import { InMemoryLifecycleEvents, InMemorySessionStore } from '../in-memory/sessions/session-store.ts';
import { LIMITS, NOW_US } from './session-store/session-of-test.ts';
import { sessionStoreSuite } from './session-store.suite.ts';

const idempotencyRetentionMs = 3_600_000;

sessionStoreSuite({
  name: 'in-memory',
  create: async () => {
    const store = new InMemorySessionStore({ idempotencyRetentionMs, events: new InMemoryLifecycleEvents() });
    return { store, close: () => store.close() };
  },
});

sessionStoreSuite({
  name: 'sqlite',
  create: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mneme-sessions-'));
    const memories = await openSqliteStore({ folder, writerThreads: reusedThreads().writer, idempotencyRetentionMs });
    for (const name of ['space', 'space-2']) {
      await memories.write({ kind: 'createNamespace', name, description: '', memoryLimit: 0, atUs: 1 });
    }
    return {
      store: sqliteSessions(memories),
      close: async () => {
        await memories.close();
        await rm(folder, { recursive: true });
      },
    };
  },
});

let redis: RedisServer;
let count = 0;
beforeAll(async () => {
  redis = await RedisServer.started();
});
afterAll(() => redis.stop());

sessionStoreSuite({
  name: 'redis',
  create: async () => {
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    count += 1;
    const store = new RedisSessionStore(connection, {
      prefix: `test-${count}`,
      pollMs: 20,
      retentionMs: idempotencyRetentionMs,
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

sessionStoreSuite({
  name: 'in-memory, with copies that take its place when it is away',
  create: async () => {
    const inMemory = () => new InMemorySessionStore({ idempotencyRetentionMs, events: new InMemoryLifecycleEvents() });
    const store = await openFallbackSessions({
      remote: inMemory(),
      local: inMemory(),
      goesOn: true,
      clock: { nowUs: () => NOW_US },
      limits: LIMITS,
      async *namespaces() {
        yield* ['space', 'space-2'];
      },
    });
    return { store, close: () => store.close() };
  },
});
