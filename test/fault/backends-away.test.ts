import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HealthListRequest, HealthCheckResponse_ServingStatus as Serving } from '../../gen/ts/grpc/health/v1/health.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';
import { RedisServer } from '../support/redis-server.ts';

let postgres: PostgresServer;
let redis: RedisServer;
let server: TestServer;
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
  redis = await RedisServer.started({ appendonly: 'yes' });
  const flags = { redisCommandTimeoutMs: '1000', redisRetryMs: '50', backendProbeIntervalMs: '50', logLevel: 'info' };
  const env = { ...postgres.envOf('away'), MNEME_REDIS_URL: redis.url };
  server = await startTestServer({ ...flags, embedder: 'none' }, {}, env);
}, 120_000);
afterAll(async () => {
  redis.thaw();
  await server.stop();
  await redis.stop();
  await postgres.stop();
  postgres.remove();
});

const health = (...args: readonly string[]) => runMneme(['health', '--server', server.server.address, ...args]);
const ownHealth = () => runMneme(['health'], { env: { MNEME_LISTEN: server.server.address } });
const lines = () => server.log.map(({ msg }) => String(msg)).filter((msg) => /answers? /.test(msg));

async function notServing(): Promise<number> {
  const { statuses } = await ask(server.health, server.health.list, HealthListRequest.fromPartial({}));
  return Object.values(statuses).filter(({ status }) => status !== Serving.SERVING).length;
}

const SINCE = /since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ \(.*\); /.source;
const WITHOUT_REDIS = 'memories are read and written; calls of sessions are refused';
const AWAY = new RegExp(`sessions: Redis does not answer ${SINCE}${WITHOUT_REDIS}`);

describe('a backend that is away', () => {
  it('all answer › health says SERVING alone', async () => {
    expect(await health()).toEqual({ code: 0, stdout: 'SERVING\n', stderr: '' });
    expect(await ownHealth()).toEqual({ code: 0, stdout: 'SERVING\n', stderr: '' });
  }, 60_000);

  it('Redis › health and stats say since when and what is served; one line of the log each way; exit code 0', async () => {
    redis.freeze();
    await until('health says so', async () => (await notServing()) > 0);
    for (const { code, stdout } of [await health(), await ownHealth()]) {
      expect([code, stdout.split('\n')[0]]).toEqual([0, 'SERVING']);
      expect(stdout).toMatch(AWAY);
      expect(stdout).toMatch(/not serving {2}LifecycleService, WorkingMemoryService/);
    }
    expect(JSON.parse((await health('--json')).stdout)).toEqual({
      service: '',
      status: 'SERVING',
      degraded: [expect.stringMatching(AWAY)],
      notServing: ['LifecycleService', 'WorkingMemoryService'],
    });
    const stats = await runMneme(['stats', '--server', server.server.address]);
    expect(stats.stdout).toMatch(AWAY);
    redis.thaw();
    await until('all serve', async () => (await notServing()) === 0);
    expect(lines()).toEqual([expect.stringMatching(AWAY), 'sessions: Redis answers again']);
    expect((await health()).stdout).toBe('SERVING\n');
  }, 120_000);

  it('PostgreSQL › nothing is served: exit code 4 with the reason', async () => {
    const before = lines().length;
    await postgres.stop();
    try {
      await until('health says so', async () => (await notServing()) > 5);
      for (const { code, stdout, stderr } of [await health(), await ownHealth()]) {
        expect([code, stdout]).toEqual([4, '']);
        expect(stderr).toMatch(/^mneme: the server serves nothing/);
        expect(stderr).toMatch(
          new RegExp(`memories: PostgreSQL does not answer ${SINCE}nothing is served until it answers`),
        );
      }
    } finally {
      await postgres.start();
    }
    await until('all serve', async () => (await notServing()) === 0);
    expect(lines().slice(before)).toEqual([
      expect.stringMatching(/^memories: PostgreSQL does not answer since/),
      'memories: PostgreSQL answers again',
    ]);
  }, 120_000);
});
