import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { GetMemoryRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { PostgresServer } from '../../../support/postgres-server.ts';
import { ask } from '../support/ask.ts';
import { store } from '../support/memories.ts';
import { scrape } from '../support/scrape.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const PARENT = 'namespaces/a';
const PATIENCE_MS = 60_000;
const UP = 'mneme_backend_up{backend="postgres",keeps="memories"}';
const IN_USE = 'mneme_postgres_connections{state="in_use"}';
const WRITES = 'mneme_postgres_transaction_duration_seconds_count{kind="write"}';
const READS = 'mneme_postgres_transaction_duration_seconds_count{kind="read"}';

let postgres: PostgresServer;
let mneme: TestServer | undefined;
let schemas = 0;
beforeAll(async () => {
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterEach(async () => {
  await mneme?.stop();
  mneme = undefined;
});
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
});

function started(settings: Record<string, string> = {}): Promise<TestServer> {
  return startTestServer(
    { metricsListen: '127.0.0.1:0' },
    {},
    {
      ...postgres.envOf(`metrics_${++schemas}`),
      MNEME_POSTGRES_STATEMENT_TIMEOUT_MS: '60000',
      MNEME_POSTGRES_CONNECT_TIMEOUT_MS: '60000',
      MNEME_BACKEND_PROBE_INTERVAL_MS: '100',
      ...settings,
    },
  );
}

/** Scrapes until the metrics are as wanted. */
async function scrapedWhen(server: TestServer, isWanted: (metrics: ReadonlyMap<string, number>) => boolean) {
  const endsAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const metrics = await scrape(server);
    if (isWanted(metrics)) return metrics;
    if (performance.now() > endsAtMs) throw new Error(`still ${JSON.stringify(Object.fromEntries(ownOf(metrics)))}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const ownOf = (metrics: ReadonlyMap<string, number>) =>
  [...metrics].filter(([name]) => /^mneme_(postgres|backend)(?!.*_bucket)/.test(name));

describe('metrics of PostgreSQL', () => {
  it('a write and a read › their transactions, waits and connections are measured, and the backends answer', async () => {
    mneme = await started({ MNEME_POSTGRES_CONNECTIONS_MAX: '7' });
    const before = await scrape(mneme);
    const { name } = await store(mneme, PARENT, { text: 'cat' });
    await ask(mneme.memories, mneme.memories.getMemory, GetMemoryRequest.fromPartial({ name }));
    const metrics = await scrape(mneme);

    expect(metrics.get(WRITES)).toBeGreaterThan(before.get(WRITES) ?? 0);
    expect(metrics.get(READS)).toBeGreaterThan(before.get(READS) ?? 0);
    expect(metrics.get('mneme_postgres_connection_wait_seconds_count')).toBeGreaterThanOrEqual(2);
    expect(metrics.get('mneme_postgres_connections_limit')).toBe(7);
    const connections = (metrics.get(IN_USE) ?? 0) + (metrics.get('mneme_postgres_connections{state="idle"}') ?? 0);
    expect(connections).toBeGreaterThanOrEqual(1);
    expect(connections).toBeLessThanOrEqual(7);
    expect(metrics.get(UP)).toBe(1);
    expect(metrics.get('mneme_backend_up{backend="sqlite",keeps="data_folder"}')).toBe(1);
  });

  it('a lock holds up a commit › it is measured when it ends, and calls wait for a connection meanwhile', async () => {
    mneme = await started({ MNEME_POSTGRES_CONNECTIONS_MAX: '2' });
    const { memories } = mneme;
    const { name } = await store(mneme, PARENT, { text: 'cat' });
    const other = new Client(postgres.url);
    await other.connect();
    try {
      await other.query(`BEGIN; LOCK TABLE metrics_${schemas}.memory IN ACCESS EXCLUSIVE MODE`);
      const calls = [
        store(mneme, PARENT, { text: 'dog' }),
        ...[1, 2, 3].map(() => ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name }))),
      ];
      const held = await scrapedWhen(mneme, (now) => {
        return now.get(IN_USE) === 2 && (now.get('mneme_postgres_connection_requests') ?? 0) >= 2;
      });
      expect(held.get('mneme_postgres_connections{state="idle"}')).toBe(0);
      await other.query('COMMIT');
      await Promise.all(calls);
      const after = await scrapedWhen(mneme, (now) => now.get('mneme_postgres_connection_requests') === 0);
      expect(after.get(WRITES)).toBeGreaterThan(held.get(WRITES) ?? 0);
    } finally {
      await other.end();
    }
  });

  it('PostgreSQL is away and back › mneme_backend_up is 0 and 1, while the server serves', async () => {
    mneme = await started();
    await postgres.stop();
    const away = await scrapedWhen(mneme, (now) => now.get(UP) === 0);
    expect(away.get('mneme_serving')).toBe(1);
    expect(away.get('mneme_backend_up{backend="sqlite",keeps="data_folder"}')).toBe(1);
    await postgres.start();
    await scrapedWhen(mneme, (now) => now.get(UP) === 1);
  });

  it('a server without PostgreSQL › has only its data folder as a backend', async () => {
    mneme = await startTestServer({ metricsListen: '127.0.0.1:0' });
    expect(ownOf(await scrape(mneme))).toEqual([['mneme_backend_up{backend="sqlite",keeps="data_folder"}', 1]]);
  });
});
