import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { runMneme } from '../cli/support/run-mneme.ts';
import { freshNamespace } from '../grpc/support/memories.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { Replica } from './replicas.ts';

let folder: string;
let postgres: PostgresServer;
let replica: Replica | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mneme-versions-'));
  postgres = await PostgresServer.started({ version: 18, parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await replica?.stop();
  await postgres.stop();
  postgres.remove();
  await rm(folder, { recursive: true });
});

async function query(text: string): Promise<void> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  try {
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** As a newer version leaves it: with another migration, which adds a table and a column with a default. */
const NEWER = `
  ALTER TABLE mneme.memory ADD COLUMN added_later integer NOT NULL DEFAULT 0;
  CREATE TABLE mneme.added_later(key integer PRIMARY KEY);
  UPDATE mneme.meta SET migration = migration + 1`;

it('a newer version migrates the tables › a running server goes on, another start of the old one is refused in one line', async () => {
  const env = { MNEME_POSTGRES_URL: postgres.url };
  replica = await Replica.startWith(env);
  const parent = freshNamespace();
  await replica.store(parent, { text: 'before' }, 'before');

  await query(NEWER);
  await replica.store(parent, { text: 'after' }, 'after');
  expect(await replica.texts(parent)).toEqual(['after', 'before']);

  const start = ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'other'), '--embedder', 'none'];
  const { code, stdout, stderr } = await runMneme(start, { env });
  expect([code, stdout]).toEqual([1, '']);
  const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect(lines).toEqual([
    expect.stringMatching(/written by a newer mneme \(schema \d+, this one knows \d+\): run that/),
  ]);

  // Also over connections that are made anew.
  await postgres.stop();
  await postgres.start();
  await replica.store(parent, { text: 'later' }, 'later');
  expect(await replica.texts(parent)).toEqual(['after', 'before', 'later']);
}, 120_000);
