import { describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { WatchedDurability } from '../../src/storage/redis/durability.ts';
import { openRedis } from '../../src/storage/redis/open-connection.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { startTestServer } from '../server/grpc/support/test-server.ts';
import { PATIENT_REDIS } from '../support/patient-redis.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';
import type { RedisConfig } from '../support/redis-server.ts';

const { closers, serve } = redisOfTest();
const LOGGED = { appendonly: 'yes', appendfsync: 'everysec' };

async function watched(config: RedisConfig) {
  const server = await serve(config);
  const connection = await openRedis({
    ...PATIENT_REDIS,
    // A question that goes down with the former process is asked again before the test gives up.
    commandTimeoutMs: 5000,
    urls: [server.url],
    onReconnect: () => durability.readAgain(),
  });
  closers.push(() => connection.close());
  const changes: string[] = [];
  const faults: unknown[] = [];
  const durability: WatchedDurability = await WatchedDurability.read({
    connection,
    retryAfterMs: PATIENT_REDIS.retryAfterMs,
    onChange: (now) => changes.push(now.durability),
    onFault: (error) => faults.push(error),
  });
  closers.push(() => durability.stop());
  return { server, durability, changes, faults };
}

describe('durability of writes to Redis', () => {
  it.each<[string, RedisConfig, RegExp, boolean, RegExp[]]>([
    ['synced at every write', { appendonly: 'yes', appendfsync: 'always' }, /^power loss$/, true, []],
    ['synced every second', LOGGED, /may take the last second$/, true, [/^appendfsync is everysec/]],
    ['synced now and then', { ...LOGGED, appendfsync: 'no' }, /half minute$/, false, [/^appendfsync is no/]],
    ['no log', { appendonly: 'no' }, /^nothing/, false, [/^appendonly is no/]],
    ['CONFIG renamed', { ...LOGGED, 'rename-command': 'CONFIG ""' }, /is unknown$/, false, [/cannot be read/]],
    [
      'CONFIG forbidden',
      { ...LOGGED, user: 'default on nopass ~* &* +@all -config' },
      /is unknown$/,
      false,
      [/cannot/],
    ],
    [
      'full, it evicts sessions',
      { ...LOGGED, maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' },
      /last second$/,
      false,
      [/^appendfsync is everysec/, /^maxmemory-policy is allkeys-lru/],
    ],
    ['full, it refuses', { ...LOGGED, maxmemory: '100mb' }, /last second$/, true, [/^appendfsync is everysec/]],
  ])('%s › is reported, with its weaknesses', async (_, config, survived, isReliable, weaknesses) => {
    const { durability } = await watched(config);
    expect(durability.current.durability).toMatch(survived);
    expect(durability.current.isReliable).toBe(isReliable);
    expect(durability.current.weaknesses).toEqual(weaknesses.map((weakness) => expect.stringMatching(weakness)));
  });

  it('Redis restarts with other settings › they are read again, and each change is reported once', async () => {
    const { server, durability, changes, faults } = await watched(LOGGED);
    await server.restart({ appendonly: 'no' });
    await until('it is read', async () => changes.length > 0);
    expect(durability.current.durability).toMatch(/^nothing/);
    expect(durability.current.isReliable).toBe(false);
    await server.restart({ appendonly: 'yes', appendfsync: 'always' });
    await until('it is read', async () => changes.length > 1);
    expect(durability.current.isReliable).toBe(true);
    expect(changes).toEqual([expect.stringMatching(/^nothing/), 'power loss']);
    expect(faults).toEqual([]);
  });
});

describe('a server whose Redis changes its settings', () => {
  const start = async () => {
    const redis = await serve({ appendonly: 'yes', appendfsync: 'always' });
    const mneme = await startTestServer({ redisRetryMs: '50', embedder: 'none' }, {}, { MNEME_REDIS_URL: redis.url });
    closers.push(() => mneme.stop());
    const survived = async () => {
      const { backends } = await ask(mneme.admin, mneme.admin.getServerInfo, GetServerInfoRequest.fromPartial({}));
      return new Map(backends.map(({ role, durability }) => [role, durability]));
    };
    const warned = () => mneme.log.map(({ msg }) => String(msg)).filter((msg) => msg.startsWith('appendonly'));
    return { redis, mneme, survived, warned };
  };

  it('Redis restarts without its log › GetServerInfo reports the durability of sessions, the log warns', async () => {
    const { redis, survived, warned } = await start();
    expect((await survived()).get('sessions')).toBe('power loss');
    expect(warned()).toEqual([]);
    await redis.restart({ appendonly: 'no' });
    await until('it is reported', async () => /^nothing: sessions/.test((await survived()).get('sessions') ?? ''));
    expect(warned()).toHaveLength(1);
  });

  it('its settings change, then it loses data › GetServerInfo reports the new durability', async () => {
    const { redis, mneme, survived } = await start();
    const client = connect(mneme.address, { namespace: 'space' });
    closers.push(async () => client.close());
    await client.session('run').set('before', 1);
    await redis.command('CONFIG', 'SET', 'appendonly', 'no');
    await redis.command('FLUSHALL');
    await client
      .session('other')
      .set('after', 2)
      .catch(() => undefined);
    await until('it is reported', async () => /^nothing/.test((await survived()).get('sessions') ?? ''));
  });
});
