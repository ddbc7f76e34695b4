import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { sql } from '#kysely';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { MIGRATIONS, type MigrateOptions, migrate } from '../../src/storage/postgres/migrations/migrate.ts';
import { SchemaError } from '../../src/storage/postgres/migrations/schema-error.ts';
import { getOne, put } from '../conformance/memory-store/store-of-test.ts';
import { newMemory } from '../support/new-memory.ts';
import { openRecords, type RecordsOfTest } from '../support/postgres-records.ts';
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
/** A server of the former version, which runs all the time. */
let running: RecordsOfTest;
beforeEach(async () => {
  schema = `upgrade_${++schemas}`;
  running = await openRecords({ url: server.url, schema });
  await put(running.store, [newMemory({ id: 'before' })]);
  client = new Client({
    connectionString: server.url,
    application_name: 'pg_dump',
    options: `-c search_path=${schema}`,
  });
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await running.close();
});

const ADD_COLUMN = 'ALTER TABLE memory ADD COLUMN added_later integer NOT NULL DEFAULT 7';
const upgradeTo = (...added: readonly string[]): MigrateOptions => ({ migrations: [...MIGRATIONS, ...added] });

/** Upgrades the tables as the start of a newer server does. */
async function upgrade(options: MigrateOptions, timeouts = {}): Promise<void> {
  const database = new PostgresDatabase({ url: server.url, schema, ...timeouts });
  try {
    await migrate(database, options);
  } finally {
    await database.close();
  }
}

async function rows(text: string): Promise<unknown[]> {
  return (await client.query({ text, rowMode: 'array' })).rows.flat();
}

const applied = () => rows('SELECT migration FROM meta');

/** Has another transaction read a table during some work, as a backup does. */
async function whileRead<T>(work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  await client.query('LOCK TABLE memory IN ACCESS SHARE MODE');
  try {
    return await work();
  } finally {
    await client.query('COMMIT');
  }
}

async function untilUpgradeWaits(): Promise<void> {
  while ((await rows(`SELECT 1 FROM pg_locks WHERE relation = 'memory'::regclass AND NOT granted`)).length === 0);
}

describe('an upgrade of the tables', () => {
  it('a statement longer than those of a server may take › passes', async () => {
    const timeouts = { statementTimeoutMs: 1000 };
    const database = new PostgresDatabase({ url: server.url, schema, ...timeouts });
    const slow = 'CREATE TABLE slow AS SELECT pg_sleep(2)::text';
    await expect(database.transaction((session) => session.run(sql.raw(slow)))).rejects.toMatchObject({
      metadata: { fault: 'timeout' },
    });
    await migrate(database, upgradeTo(slow));
    await database.close();
    expect(await applied()).toEqual([MIGRATIONS.length + 1]);
  });

  it('a statement longer than its longest time › one line that names the setting, nothing has changed', async () => {
    const refused = upgrade(upgradeTo(ADD_COLUMN, 'SELECT pg_sleep(600)'), { upgradeTimeoutMs: 1000 });
    await expect(refused).rejects.toThrow(
      `the tables of schema ${schema} are not upgraded: PostgreSQL ended a statement of the upgrade, which may take 1000 ms: raise MNEME_POSTGRES_UPGRADE_TIMEOUT_MS, and try again`,
    );
    await expect(refused).rejects.toThrow(SchemaError);
    expect(await applied()).toEqual([MIGRATIONS.length]);
    expect(
      await rows(`SELECT 1 FROM pg_attribute WHERE attname = 'added_later' AND attrelid = 'memory'::regclass`),
    ).toEqual([]);
  });

  it('a table that another transaction reads › running servers go on, and the upgrade when that ends', async () => {
    const waited = Promise.withResolvers<void>();
    const options = { lockTimeoutMs: 500, attemptsMax: Number.POSITIVE_INFINITY, pause: async () => {} };
    let upgrading: Promise<void> | undefined;
    await whileRead(async () => {
      upgrading = upgrade({ ...upgradeTo(ADD_COLUMN), ...options, onWait: () => waited.resolve() });
      await untilUpgradeWaits();
      // Behind the statement that waits for the reader.
      await put(running.store, [newMemory({ id: 'during' })]);
      expect((await getOne(running.store, 'during'))?.id).toBe('during');
      await waited.promise;
      expect(await applied()).toEqual([MIGRATIONS.length]);
    });
    await upgrading;
    expect(await rows('SELECT added_later FROM memory')).toEqual([7, 7]);
    expect(await applied()).toEqual([MIGRATIONS.length + 1]);
    await put(running.store, [newMemory({ id: 'after' })]);
  });

  it('a table that is read in each attempt › one line that names the limit and the reader', async () => {
    const pauses: number[] = [];
    const pause = async (ms: number) => void pauses.push(ms);
    await whileRead(async () => {
      const { rows: own } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await expect(upgrade({ ...upgradeTo(ADD_COLUMN), lockTimeoutMs: 50, attemptsMax: 3, pause })).rejects.toThrow(
        `the tables of schema ${schema} are not upgraded: in each of 3 attempts another connection used one of them for more than 50 ms (process ${own[0]?.pid}: pg_dump): let "mneme backup", pg_dump or the transaction of that connection end, and try again`,
      );
    });
    expect(pauses).toEqual([8000, 8000]);
    await upgrade(upgradeTo(ADD_COLUMN));
  });

  it('a stop between two attempts › ends the start', async () => {
    const stop = new AbortController();
    await whileRead(async () => {
      const onWait = () => stop.abort();
      await expect(
        upgrade({ ...upgradeTo(ADD_COLUMN), lockTimeoutMs: 50, onWait, signal: stop.signal }),
      ).rejects.toMatchObject({ name: 'AbortError' });
    });
    expect(await applied()).toEqual([MIGRATIONS.length]);
  });

  it('a server of the version of the tables › starts meanwhile', async () => {
    await client.query(`SELECT pg_advisory_lock(${0x6d6e_656d}::bigint)`);
    const other = await openRecords({ url: server.url, schema });
    expect((await getOne(other.store, 'before'))?.id).toBe('before');
    await other.close();
  });

  it('two newer servers at once › one upgrades, the other waits for it', async () => {
    const waits: string[] = [];
    const options = { ...upgradeTo(ADD_COLUMN), lockTimeoutMs: 50, attemptsMax: Number.POSITIVE_INFINITY };
    const onWait = (why: string) => waits.push(why);
    let both: Promise<void>[] = [];
    await whileRead(async () => {
      both = [1, 2].map(() => upgrade({ ...options, pause: async () => {}, onWait }));
      while (new Set(waits).size < 2) await client.query('SELECT 1');
    });
    await Promise.all(both);
    expect(await applied()).toEqual([MIGRATIONS.length + 1]);
    expect(new Set(waits)).toEqual(
      new Set([
        'another connection uses the tables in PostgreSQL, which are to be upgraded',
        'another server upgrades the tables in PostgreSQL',
      ]),
    );
  });

  it('the process of a statement dies › PostgreSQL looks for it, and frees the tables', async () => {
    await upgrade(
      upgradeTo(`CREATE TABLE kept AS SELECT current_setting('client_connection_check_interval') AS value`),
    );
    expect(await rows('SELECT value FROM kept')).toEqual(['2s']);
  });
});
