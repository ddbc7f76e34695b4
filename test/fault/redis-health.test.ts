import { describe, expect, it } from '@jest/globals';
import {
  HealthCheckRequest,
  type HealthCheckResponse,
  HealthListRequest,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../gen/ts/grpc/health/v1/health.ts';
import { GetServerInfoRequest } from '../../gen/ts/mneme/v1/admin_service.ts';
import { ask } from '../server/grpc/support/ask.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';

const { closers, serve } = redisOfTest();

const FLAGS = { redisCommandTimeoutMs: '1500', redisRetryMs: '50', backendProbeIntervalMs: '50' };
const PACKAGE = 'mneme.v1.';

async function startWith(redisUrl: string, more: Record<string, string> = {}): Promise<TestServer> {
  const mneme = await startTestServer({ ...FLAGS, ...more }, {}, { MNEME_REDIS_URL: redisUrl });
  closers.push(() => mneme.stop());
  return mneme;
}

/** Names, without the package, of services that do not serve; `''` is the server. */
async function lost({ health }: TestServer): Promise<string[]> {
  const { statuses } = await ask(health, health.list, HealthListRequest.fromPartial({}));
  const names = Object.entries(statuses).filter(([, { status }]) => status !== Serving.SERVING);
  return names.map(([name]) => name.replace(PACKAGE, '')).sort();
}

const degradedOf = async ({ admin }: TestServer) =>
  (await ask(admin, admin.getServerInfo, GetServerInfoRequest.fromPartial({}))).degraded;

const LOST = ['LifecycleService', 'WorkingMemoryService'];
const SINCE = /Redis does not answer since 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/;

describe('health while Redis is frozen', () => {
  it('services that need Redis are NOT_SERVING, the server serves; all recover with it, and watchers are notified', async () => {
    const redis = await serve();
    const mneme = await startWith(redis.url);
    await until('all serve', async () => (await lost(mneme)).length === 0);
    const received: Serving[] = [];
    const service = `${PACKAGE}WorkingMemoryService`;
    const watch = mneme.health.watch(HealthCheckRequest.fromPartial({ service }));
    watch.on('error', () => undefined).on('data', ({ status }: HealthCheckResponse) => received.push(status));
    closers.push(async () => watch.cancel());
    await until('the watch has begun', async () => received.length > 0);

    redis.freeze();
    await until('services are lost', async () => (await lost(mneme)).length > 0);
    await until('all of them', async () => (await lost(mneme)).length === LOST.length);
    expect(await lost(mneme)).toEqual(LOST);
    expect(await degradedOf(mneme)).toEqual([expect.stringMatching(`^sessions: ${SINCE.source}`)]);

    redis.thaw();
    await until('all serve again', async () => (await lost(mneme)).length === 0);
    expect(await degradedOf(mneme)).toEqual([]);
    await until('the watcher is notified', async () => received.length >= 3);
    expect(received.slice(-2)).toEqual([Serving.NOT_SERVING, Serving.SERVING]);
  });

  it('Redis is killed and restarts › services stop and recover', async () => {
    const redis = await serve({ appendonly: 'yes', appendfsync: 'always' });
    const mneme = await startWith(redis.url);
    await redis.kill();
    await until('services are lost', async () => (await lost(mneme)).length === LOST.length);

    await redis.start();
    await until('all serve again', async () => (await lost(mneme)).length === 0);
    expect(await degradedOf(mneme)).toEqual([]);
  });

  it('without Redis › every service serves, and nothing is probed', async () => {
    const mneme = await startTestServer(FLAGS);
    closers.push(() => mneme.stop());

    expect(await lost(mneme)).toEqual([]);
    expect(await degradedOf(mneme)).toEqual([]);
  });
});
