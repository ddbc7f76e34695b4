import { describe, expect, it } from '@jest/globals';
import { freshNamespace, store } from '../grpc/support/memories.ts';
import { scrape } from '../grpc/support/scrape.ts';
import { startTestServer, type TestServer } from '../grpc/support/test-server.ts';
import { until } from '../support/redis-cluster.ts';
import { redisOfTest } from '../support/redis-of-test.ts';

const { closers, serve } = redisOfTest();
const FLAGS = {
  metricsListen: '127.0.0.1:0',
  expiryIntervalMs: '100',
  redisRetryMs: '50',
  redisCommandTimeoutMs: '1500',
};

async function startOn(url: string): Promise<TestServer> {
  const mneme = await startTestServer(FLAGS, {}, { MNEME_REDIS_URL: url, MNEME_REDIS_SHARED: 'true' });
  closers.push(() => mneme.stop());
  return mneme;
}

async function leases(mneme: TestServer, job: string, outcome: string): Promise<number> {
  return (await scrape(mneme)).get(`mneme_job_leases_total{job_name="${job}",outcome="${outcome}"}`) ?? 0;
}

describe('background jobs of servers that share Redis', () => {
  it('a job › runs at one server again and again; when that stops, at the other', async () => {
    const redis = await serve();
    const one = await startOn(redis.url);
    await until('one runs it', async () => (await leases(one, 'expiry', 'taken')) > 2);
    const two = await startOn(redis.url);
    await until('two asks for it', async () => (await leases(two, 'expiry', 'elsewhere')) > 5);
    expect(await leases(two, 'expiry', 'taken')).toBe(0);
    expect(await leases(one, 'expiry', 'elsewhere')).toBe(0);
    await one.stop();
    await until('two runs it', async () => (await leases(two, 'expiry', 'taken')) > 2);
  }, 120_000);

  it('texts that are embedded later › each by one of the servers', async () => {
    const redis = await serve();
    const [one, two] = [await startOn(redis.url), await startOn(redis.url)];
    const parent = freshNamespace();
    await Promise.all(
      [one, two].flatMap((mneme, at) =>
        Array.from({ length: 10 }, (_, n) => store(mneme, parent, { text: `text ${at} ${n}` }, `m${at}-${n}`)),
      ),
    );
    const pending = () => one.storage.store.pendingEmbeddings({ nowUs: Date.now() * 1000, limit: 100 });
    await until('all are embedded', async () => (await pending()).length === 0);
    expect(await leases(one, 'embedding', 'lost')).toBe(0);
  }, 120_000);

  it('Redis is away › a lease that cannot be taken is logged once for each job, and jobs go on afterwards', async () => {
    const redis = await serve();
    const one = await startOn(redis.url);
    await until('it runs', async () => (await leases(one, 'expiry', 'taken')) > 0);
    redis.freeze();
    await until('it fails', async () => (await leases(one, 'expiry', 'failed')) > 5);
    const warnings = one.log.filter(({ msg, job }) => job === 'expiry' && String(msg).startsWith('the lease of a job'));
    expect(warnings).toHaveLength(1);
    const before = await leases(one, 'expiry', 'taken');
    redis.thaw();
    await until('it runs again', async () => (await leases(one, 'expiry', 'taken')) > before + 2);
  }, 120_000);
});
