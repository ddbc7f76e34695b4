import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freshNamespace, store } from '../server/grpc/support/memories.ts';
import { scrape } from '../server/grpc/support/scrape.ts';
import { startTestServer, type TestServer } from '../server/grpc/support/test-server.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { until } from '../support/redis-cluster.ts';

const FLAGS = { metricsListen: '127.0.0.1:0', expiryIntervalMs: '100' };

let postgres: PostgresServer;
let schemas = 0;
const closers: (() => Promise<void>)[] = [];
beforeAll(async () => {
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

async function startOn(schema: string): Promise<TestServer> {
  const env = { MNEME_POSTGRES_URL: postgres.url, MNEME_POSTGRES_SCHEMA: schema };
  const mneme = await startTestServer(FLAGS, {}, env);
  closers.push(() => mneme.stop());
  return mneme;
}

async function leases(mneme: TestServer, job: string, outcome: string): Promise<number> {
  return (await scrape(mneme)).get(`mneme_job_leases_total{job_name="${job}",outcome="${outcome}"}`) ?? 0;
}

describe('background jobs of servers that share PostgreSQL', () => {
  it('a job › runs at one server again and again; when that stops, at the other', async () => {
    const schema = `jobs_${++schemas}`;
    const one = await startOn(schema);
    await until('one runs it', async () => (await leases(one, 'expiry', 'taken')) > 2);
    const two = await startOn(schema);
    await until('two asks for it', async () => (await leases(two, 'expiry', 'elsewhere')) > 5);
    expect(await leases(two, 'expiry', 'taken')).toBe(0);
    expect(await leases(one, 'expiry', 'elsewhere')).toBe(0);
    await one.stop();
    await until('two runs it', async () => (await leases(two, 'expiry', 'taken')) > 2);
  }, 120_000);

  it('texts that are embedded later › each by one of the servers', async () => {
    const schema = `jobs_${++schemas}`;
    const [one, two] = [await startOn(schema), await startOn(schema)];
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
});
