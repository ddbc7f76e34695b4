import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { ServerPresence, type ServerPresenceOptions } from '../../src/storage/redis/server-presence.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';
import { Replica } from './replicas.ts';

const LEASE_MS = 3_600_000;

describe('a server with sessions in Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.started();
  });
  afterAll(() => redis.stop());

  it('a second one with the same key prefix › is refused; the first one goes on, also after it was killed', async () => {
    const start = () => Replica.startWith({ MNEME_REDIS_URL: redis.url });
    const first = await start();
    try {
      await expect(start()).rejects.toThrow('mneme serve ended');
      await first.restart();
      const { admin } = first.clients;
      expect((await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}))).degraded).toEqual([]);
    } finally {
      await first.stop();
    }
  }, 120_000);
});

describe('the count of servers', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await RedisServer.started();
    connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
  });
  afterAll(async () => {
    await connection.close();
    await redis.stop();
  });
  const presence = (prefix: string, server: string, leaseMs = LEASE_MS) =>
    new ServerPresence({ connection, prefix, server, leaseMs, isShared: true });

  it('lists servers with the same prefix, without stopped ones', async () => {
    const [a, b, c, elsewhere] = [presence('p', 'a'), presence('p', 'b'), presence('p', 'c'), presence('q', 'a')];
    for (const each of [a, b, c, elsewhere]) await each.begin();
    await a.renew();
    expect([a.otherCount, b.otherCount, c.otherCount, elsewhere.otherCount]).toEqual([2, 1, 2, 0]);

    await b.close();
    await c.close();
    await a.renew();

    expect(a.otherCount).toBe(0);
    await a.close();
    await elsewhere.close();
  });

  it('excludes servers whose lease has expired', async () => {
    const [here, dead] = [presence('r', 'here'), presence('r', 'dead', 1)];
    await dead.renew();
    await redis.command('ZADD', 'r:servers', '1', 'dead');

    await here.renew();

    expect(here.otherCount).toBe(0);
  });
});

describe('the lease of a server that shares its prefix with no other', () => {
  let redis: RedisServer;
  let connections: RedisConnection[];
  beforeAll(async () => {
    redis = await RedisServer.started();
  });
  beforeEach(async () => {
    await redis.command('FLUSHALL');
    connections = [];
  });
  afterEach(() => Promise.all(connections.map((connection) => connection.close())));
  afterAll(() => redis.stop());

  const KEY = 'p:servers';
  const leases = async () => ((await redis.command('ZRANGE', KEY, '0', '-1')) as unknown[]).map(String);
  const renewed = (member: string) => () => redis.command('ZINCRBY', KEY, '1000', member);
  async function presence(server: string, more: Partial<ServerPresenceOptions> = {}): Promise<ServerPresence> {
    const connection = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    connections.push(connection);
    return new ServerPresence({ connection, prefix: 'p', server, leaseMs: LEASE_MS, isShared: false, ...more });
  }

  it.each([false, true])('another one that renews its lease (shared: %s) › blocks the start', async (isShared) => {
    const first = await presence('first', { isShared });
    const member = isShared ? 'first' : 'alone first';
    expect(await first.begin()).toBeUndefined();
    const second = await presence('second', { pause: renewed(member) });

    expect(await second.begin()).toBe('first');
    expect(await leases()).toEqual([member]);
    await first.close();
    expect(await second.begin()).toBeUndefined();
    expect(await leases()).toEqual(['alone second']);
    await second.close();
  });

  it('it blocks sharing servers', async () => {
    await (await presence('first')).begin();
    const second = await presence('second', { isShared: true, pause: renewed('alone first') });
    expect(await second.begin()).toBe('first');
  });

  it('another one that has died › is awaited', async () => {
    await (await presence('dead')).begin();
    const second = await presence('second', { pause: () => redis.command('ZADD', KEY, '1', 'alone dead') });
    expect(await second.begin()).toBeUndefined();
    expect(await leases()).toEqual(['alone second']);
  });

  it('it is started again, now to share › its former lease is not in its way', async () => {
    await (await presence('first')).begin();
    expect(await (await presence('first', { isShared: true })).begin()).toBeUndefined();
    expect(await leases()).toEqual(['first']);
  });

  it('another one has taken the prefix in the meantime › every call fails from then on, and it is logged once', async () => {
    const taken: string[] = [];
    const first = await presence('first', { onSuperseded: (by) => taken.push(by) });
    await first.begin();
    await redis.command('ZADD', KEY, '1', 'alone first');
    await (await presence('second')).begin();

    await first.keep();

    expect(taken).toEqual(['second']);
    await expect(connections[0]?.send('key', ['GET', 'key'])).rejects.toMatchObject({
      reason: 'STORAGE_UNAVAILABLE',
      metadata: { fault: 'superseded' },
    });
    await first.close();
    expect(await leases()).toEqual(['alone second']);
  });
});
