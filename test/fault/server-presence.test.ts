import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import type { RedisConnection } from '../../src/storage/redis/connection.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { ServerPresence } from '../../src/storage/redis/server-presence.ts';
import { ask } from '../grpc/support/ask.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { RedisServer } from '../support/redis-server.ts';
import type { Replica } from './replicas.ts';
import { replicasOfTest } from './replicas-of-test.ts';

const LEASE_MS = 3_600_000;
const NOT_SHARED =
  'settings, scope policies, agent snapshots and long-term memories stored at one server are not known to the others (docs/redis.md)';

const { start } = replicasOfTest();

const degradedAt = async ({ clients: { admin } }: Replica) =>
  (await ask(admin, admin.getServerInfo, GetServerInfoRequest.create())).degraded;

describe('servers over one Redis', () => {
  it('one alone, also after it was killed › says nothing; one beside it › says what is not shared', async () => {
    const first = await start();
    expect(await degradedAt(first)).toEqual([]);
    await first.restart();
    expect(await degradedAt(first)).toEqual([]);

    const second = await start();

    expect(await degradedAt(second)).toEqual([`shares Redis prefix mneme with 1 other server: ${NOT_SHARED}`]);
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
    new ServerPresence({ connection, prefix, server, leaseMs });

  it('is of those with the same prefix, without those that have stopped', async () => {
    const [a, b, c, elsewhere] = [presence('p', 'a'), presence('p', 'b'), presence('p', 'c'), presence('q', 'a')];
    for (const each of [a, b, c, elsewhere]) await each.begin();
    await a.renew();
    expect([a.otherCount, b.otherCount, c.otherCount, elsewhere.otherCount]).toEqual([2, 1, 2, 0]);
    expect(a.told).toEqual([`shares Redis prefix p with 2 other servers: ${NOT_SHARED}`]);

    await b.close();
    await c.close();
    await a.renew();

    expect([a.otherCount, a.told]).toEqual([0, []]);
    await a.close();
    await elsewhere.close();
  });

  it('is without those whose lease has ended', async () => {
    const [here, dead] = [presence('r', 'here'), presence('r', 'dead', 1)];
    await dead.renew();
    await redis.command('ZADD', 'r:servers', '1', 'dead');

    await here.renew();

    expect(here.otherCount).toBe(0);
  });

  it('begins while Redis does not answer › nothing is told, and nothing fails', async () => {
    const lost = await openRedis({ ...PATIENT_REDIS, urls: [redis.url] });
    await lost.close();
    const late = new ServerPresence({ connection: lost, prefix: 's', server: 'late', leaseMs: LEASE_MS });

    await late.begin();

    expect(late.told).toEqual([]);
    await late.close();
  });
});
