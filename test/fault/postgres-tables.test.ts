import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { createTables } from '../../src/storage/postgres/create-tables.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { SCHEMA_NUMBER } from '../../src/storage/postgres/tables.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { PostgresServer } from '../support/postgres-server.ts';

let server: PostgresServer;
let client: Client;
beforeAll(async () => {
  server = await PostgresServer.started({ parameters: { fsync: 'off' } });
}, 120_000);
afterAll(async () => {
  await server.stop();
  server.remove();
});

let schemas = 0;
let schema = '';
beforeEach(async () => {
  schema = `tables_${++schemas}`;
  client = new Client({ connectionString: server.url, options: `-c search_path=${schema}` });
  await client.connect();
});
afterEach(() => client.end());

async function rows(text: string): Promise<unknown[]> {
  return (await client.query({ text, rowMode: 'array' })).rows.flat();
}

/** Creates the tables as the start of a server does. */
async function create(): Promise<void> {
  const database = new PostgresDatabase({ url: server.url, schema });
  try {
    await createTables(database);
  } finally {
    await database.close();
  }
}

const number = () => rows('SELECT schema_number FROM meta');
/** Tables, columns, indexes and triggers. */
const parts = () =>
  rows(`SELECT concat_ws(' ', c.relname, a.attnum, a.attname, a.atttypid::regtype, a.attnotnull, t.tgname) FROM pg_class c
    LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
    LEFT JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
    WHERE c.relnamespace = to_regnamespace('${schema}') ORDER BY 1`);
const waitingFor = (lock: string) =>
  rows(`SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
    AND (classid::bigint << 32 | objid::bigint) = ${lock}`);
const LOCK = () => `hashtextextended('${schema}/tables', 0)`;

describe('the tables in PostgreSQL', () => {
  it('of a schema without tables › are created; are there › nothing changes', async () => {
    await create();
    expect(await number()).toEqual([SCHEMA_NUMBER]);
    await rows(`UPDATE meta SET settings = 'kept'`);
    await create();
    expect(await rows('SELECT settings FROM meta')).toEqual(['kept']);
  });

  it('two servers create them at once › one does, the other one waits', async () => {
    await rows('BEGIN');
    await rows(`SELECT pg_advisory_xact_lock(${LOCK()})`);
    const both = [create(), create()];
    while ((await waitingFor(LOCK())).length < 2);
    await rows('COMMIT');
    await Promise.all(both);
    expect(await number()).toEqual([SCHEMA_NUMBER]);
  });

  it.each<[string, string]>([
    [`number ${SCHEMA_NUMBER - 1}`, `UPDATE meta SET schema_number = ${SCHEMA_NUMBER - 1}`],
    [`number ${SCHEMA_NUMBER + 1}`, `UPDATE meta SET schema_number = ${SCHEMA_NUMBER + 1}`],
    ['number none', 'ALTER TABLE meta DROP COLUMN schema_number'],
  ])('with %s › refused in one line, and unchanged', async (found, change) => {
    await create();
    await rows(change);
    const before = [await parts(), await rows('SELECT meta::text FROM meta')];
    await expect(create()).rejects.toMatchObject({
      name: 'SchemaError',
      message: `schema ${schema} of PostgreSQL has tables with ${found}, and this version of mneme uses number ${SCHEMA_NUMBER} only: export the memories with the version that made them, or start with another schema (MNEME_POSTGRES_SCHEMA)`,
    });
    expect([await parts(), await rows('SELECT meta::text FROM meta')]).toEqual(before);
  });

  it('with another number › a server does not start, and says so in one line', async () => {
    await create();
    await rows('UPDATE meta SET schema_number = 1000');
    const folder = mkdtempSync(join(tmpdir(), 'mneme-tables-'));
    const start = ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data'), '--embedder', 'none'];
    const { code, stdout, stderr } = await runMneme(start, { env: server.envOf(schema) });
    rmSync(folder, { recursive: true });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([
      expect.stringMatching(/has tables with number 1000, and this version of mneme uses number \d+ only: export/),
    ]);
  }, 60_000);
});

/** Creates the tables of the schema of its arguments in a process of its own. */
const CREATOR = `
  const [url, schema] = process.argv.slice(1);
  const of = ${JSON.stringify(new URL('../../src/storage/postgres/', import.meta.url).href)};
  const { createTables } = await import(of + 'create-tables.ts');
  const { PostgresDatabase } = await import(of + 'database.ts');
  await createTables(new PostgresDatabase({ url, schema }));
`;
const HALF = 4242;

describe('a process is killed while it creates the tables in PostgreSQL', () => {
  let creator: ChildProcess | undefined;
  afterEach(async () => {
    creator?.kill('SIGKILL');
    await rows('DROP EVENT TRIGGER IF EXISTS wait_half_way');
  });

  it('nothing is left, and the next start creates them', async () => {
    await rows(`CREATE OR REPLACE FUNCTION public.wait_half_way() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity LIKE '%.subscription_work') THEN
          PERFORM pg_advisory_lock(${HALF});
        END IF;
      END $$`);
    await rows(`CREATE EVENT TRIGGER wait_half_way ON ddl_command_end WHEN TAG IN ('CREATE TABLE')
      EXECUTE FUNCTION public.wait_half_way()`);
    await rows(`SELECT pg_advisory_lock(${HALF})`);
    creator = spawn(process.execPath, ['--input-type=module', '--eval', CREATOR, server.url, schema]);
    const ended = once(creator, 'close');
    while ((await waitingFor(String(HALF))).length === 0);
    creator.kill('SIGKILL');
    await ended;
    expect(await parts()).toEqual([]);
    await rows('DROP EVENT TRIGGER wait_half_way');
    await rows(`SELECT pg_advisory_unlock(${HALF})`);
    await create();
    expect(await number()).toEqual([SCHEMA_NUMBER]);
    const made = await parts();
    schema = `${schema}_at_once`;
    await create();
    expect(made).toEqual(await parts());
  }, 60_000);
});
