import { afterAll, beforeAll, it } from '@jest/globals';
import { Client } from 'pg';
import { put } from '../storage/conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords } from '../support/postgres-records.ts';
import { PostgresServer } from '../support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 60_000);
afterAll(async () => {
  await server.stop();
  server.remove();
});

it('a change whose notification is lost › named by the next poll', async () => {
  const { records, store, close } = await openRecords({ url: server.url, schema: 'lost' });
  await put(store, [newMemory({ id: 'a' })], { namespace: 'quiet' });
  let onNamed: (() => void) | undefined;
  const named = (): Promise<void> => new Promise((resolve) => (onNamed = resolve));
  const first = named();
  const stop = records.follow((name) => {
    if (name === 'quiet') onNamed?.();
  });
  // By the poll at its start.
  await first;
  const second = named();
  const client = new Client(server.url);
  await client.connect();
  // As a write does, without NOTIFY.
  await client.query(`UPDATE lost.namespace SET log_revision = log_revision + 1 WHERE name = 'quiet'`);
  await client.end();
  await second;
  stop();
  await close();
}, 30_000);
