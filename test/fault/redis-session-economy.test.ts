import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { RedisSessionStore } from '../../src/storage/redis/sessions/session-store.ts';
import {
  act,
  append,
  checkpoint,
  HERE,
  NOW_US,
  set,
  valuesOf,
  write,
} from '../storage/conformance/session-store/session-of-test.ts';
import { InMemorySeenKeyspaces } from '../storage/in-memory/scope-policies.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';

describe('sessions in Redis', () => {
  let server: RedisServer;
  let connection: RedisConnection;
  beforeEach(async () => {
    server = await RedisServer.started();
    connection = await openRedis({ ...PATIENT_REDIS, urls: [server.url] });
  });
  afterEach(async () => {
    await connection.close();
    await server.stop();
  });

  const open = () =>
    new RedisSessionStore(connection, {
      prefix: 'economy',
      pollMs: 60_000,
      retentionMs: 3_600_000,
      checkNamespace: async () => ({ createdAtUs: 0 }),
      seen: new InMemorySeenKeyspaces(),
      lossHoldMs: 60_000,
    });
  /** Number of scripts run so far. */
  const scripts = async () => {
    const found = /cmdstat_evalsha:calls=(\d+)/.exec(String(await server.command('INFO', 'commandstats')));
    return Number(found?.[1] ?? 0);
  };

  it('statistics › take one round trip, however much the session holds', async () => {
    const store = open();
    const keys = Array.from({ length: 300 }, (_, at) => set(`k${at}`, 'v'));
    await write(store, [...keys, append('a', 'b'), checkpoint('c1')]);
    await store.statistics(HERE, NOW_US);
    const before = await scripts();
    const statistics = await store.statistics(HERE, NOW_US);
    expect((await scripts()) - before).toBe(1);
    expect(statistics).toMatchObject({ keyCount: 300, noteCount: 2, checkpointCount: 1 });
    await store.close();
  });

  it('a read of one key › takes one round trip', async () => {
    const store = open();
    await act(store, set('k', 'v'));
    await store.get({ ...HERE, keys: ['k'], nowUs: NOW_US });
    const before = await scripts();
    await store.get({ ...HERE, keys: ['k'], nowUs: NOW_US });
    expect((await scripts()) - before).toBe(1);
    await store.close();
  });

  it('a closed store › leaves the shared connection open', async () => {
    const [one, other] = [open(), open()];
    await act(one, set('k', 'v'));
    await one.close();
    expect(await valuesOf(other)).toEqual({ k: 'v' });
    await other.close();
    const clients = async () =>
      String(await server.command('CLIENT', 'LIST'))
        .trim()
        .split('\n').length;
    // The connection and the querying one; Redis may detect closed ones a moment later.
    await until('nobody else is connected', async () => (await clients()) === 2);
  });
});
