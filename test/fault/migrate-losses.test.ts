import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { connect, type Mneme, MnemeError as MnemeFailure } from '../../clients/typescript/src/index.ts';
import { MnemeError } from '../../src/memory/errors.ts';
import { type MigrationOptions, migrateToFolder, migrateToPostgres } from '../../src/server/assembly/migrate-store.ts';
import { configFrom } from '../../src/server/config/config.ts';
import { serversLock } from '../../src/storage/postgres/servers-lock.ts';
import { serveMneme } from '../cli/support/serve-mneme.ts';
import { PATIENT } from '../client/support/clean-up.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { startServer } from './damage/server.ts';

let folder = '';
let data = '';
let postgres: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-losses-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  data = join(folder, 'data');
  const server = await startServer(data);
  await server.mneme.store({ id: 'a', text: 'the cat sleeps' });
  await server.stop();
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

function optionsOf(of: string, schema: string): MigrationOptions {
  const env = postgres.envOf(schema);
  return {
    config: configFrom({ flags: { data: of }, env }),
    term: randomUUID(),
    nowMs: Date.now,
    sleep: async () => {},
  };
}

function copyOf(name: string): string {
  const copy = join(folder, name);
  cpSync(data, copy, { recursive: true });
  return copy;
}

async function connected<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const OF_LOCK = `locktype = 'advisory' AND objsubid = 1
  AND (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`;
const END_HOLDERS = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND ${OF_LOCK}`;

/** Stores until the answer has this fault; `undefined`: until a write is acknowledged. */
async function storedUntil(mneme: Mneme, fault: string | undefined): Promise<void> {
  for (;;) {
    const answered = await mneme.store({ text: 'the dog barks' }).then(
      () => undefined,
      (error: unknown) => (error instanceof MnemeFailure ? error.metadata['fault'] : 'none'),
    );
    if (answered === fault) return;
  }
}

/** Fails where it is called more often. */
const CALLS_MAX = 50;

describe('a migration that loses PostgreSQL', () => {
  it('each time at the same step › ends after ten more beginnings', async () => {
    const of = copyOf('each-time');
    let calls = 0;
    const onStep = async () => {
      if (++calls > CALLS_MAX) throw new Error('it has no end');
      throw new MnemeError('STORAGE_UNAVAILABLE', 'lost', { metadata: { backend: 'postgres', fault: 'disconnected' } });
    };
    await expect(migrateToPostgres({ ...optionsOf(of, 'each_time'), onStep })).rejects.toThrow(/PostgreSQL/);
    expect(calls).toBe(11);
    expect(existsSync(join(of, 'migrated.json'))).toBe(false);
    // With PostgreSQL it goes on where it was.
    expect((await migrateToPostgres(optionsOf(of, 'each_time'))).isWhole).toBe(true);
  }, 120_000);

  it('on the connection with the lock, which a server has then › moves nothing', async () => {
    const of = copyOf('lock');
    const key = [serversLock('lock')];
    await connected(async (server) => {
      const onStep = async (step: string) => {
        if (step !== 'verified') return;
        await server.query(END_HOLDERS, key);
        await server.query('SELECT pg_advisory_lock_shared(hashtextextended($1, 0))', key);
      };
      const options = { ...optionsOf(of, 'lock'), onStep };
      await expect(migrateToPostgres(options)).rejects.toThrow(/a server uses schema lock/);
    });
    expect(existsSync(join(of, 'migrated.json'))).toBe(false);
  }, 120_000);
});

describe('a server that loses the connection with its lock', () => {
  it('while a migration takes it, or has moved the records › refuses calls until the end of that', async () => {
    const env = postgres.envOf('served');
    const server = await serveMneme({
      data: join(folder, 'served'),
      env,
      flags: ['--embedder', 'none'],
      isQuiet: true,
    });
    const mneme = connect(server.address, { ...PATIENT, retry: false });
    const key = [serversLock('served')];
    try {
      await connected(async (other) => {
        await storedUntil(mneme, undefined);
        await connected(async (migration) => {
          const locking = migration.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', key);
          const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND ${OF_LOCK}`;
          while ((await other.query(waiting, key)).rows.length === 0);
          await other.query(END_HOLDERS, key);
          await locking;
          await storedUntil(mneme, 'migrating');
        });
        await storedUntil(mneme, undefined);
        await other.query('CREATE TABLE served.migration(key text)');
        await other.query(END_HOLDERS, key);
        await storedUntil(mneme, 'migrating');
        await other.query('DROP TABLE served.migration');
        await storedUntil(mneme, undefined);
      });
    } finally {
      await mneme.close();
      await server.stop();
    }
  }, 120_000);
});

describe('a server that writes during a migration, without the lock', () => {
  it('after the comparison › the tables are not moved', async () => {
    expect((await migrateToPostgres(optionsOf(copyOf('written'), 'written'))).isWhole).toBe(true);
    const back = join(folder, 'written-back');
    const onStep = async (step: string) => {
      if (step !== 'verified') return;
      await connected((client) => client.query('UPDATE written.namespace SET log_revision = log_revision + 1'));
    };
    await expect(migrateToFolder({ ...optionsOf(back, 'written'), onStep })).rejects.toThrow(/has written to schema/);
    expect(existsSync(join(back, 'mneme.db'))).toBe(false);
    // Begun anew, from the state of then.
    expect((await migrateToFolder(optionsOf(back, 'written'))).isWhole).toBe(true);
  }, 120_000);
});
