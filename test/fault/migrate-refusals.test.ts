import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { Client } from 'pg';
import { FORM } from '../../src/storage/migration/portable.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { serveMneme } from '../cli/support/serve-mneme.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { canMount, leaveFree, mountDisk } from '../support/small-disk.ts';

const SECRET = 'secret-of-the-role';
const isMountable = canMount();

let folder = '';
let data = '';
let postgres: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-refusals-'));
  postgres = await PostgresServer.started({ parameters: { fsync: 'off' } });
  data = join(folder, 'data');
  const server = await serveMneme({ data, flags: ['--embedder', 'none'] });
  for (const text of ['the cat sleeps', 'the dog barks']) await runMneme(['store', text, '--server', server.address]);
  await server.stop();
}, 120_000);
afterAll(async () => {
  await postgres.stop();
  postgres.remove();
  rmSync(folder, { recursive: true });
});

const url = () => postgres.url.replace('@', `:${SECRET}@`);
const envOf = (schema: string) => ({ MNEME_POSTGRES_URL: url(), MNEME_POSTGRES_SCHEMA: schema });

function copyOf(name: string): string {
  const copy = join(folder, name);
  cpSync(data, copy, { recursive: true });
  return copy;
}

const migrate = (to: string, of: string, env: Record<string, string>) =>
  runMneme(['migrate', '--to', to, '--data', of], { env });

/** One line without the password. */
async function refusal(to: string, of: string, env: Record<string, string>): Promise<string> {
  const { code, stdout, stderr } = await migrate(to, of, env);
  expect([code === 1 || code === 2, stdout]).toEqual([true, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).not.toContain(SECRET);
  return stderr;
}

async function sql(schema: string, text: string): Promise<void> {
  const client = new Client(postgres.url);
  await client.connect();
  try {
    await client.query(`SET search_path = ${schema}`);
    await client.query(text);
  } finally {
    await client.end();
  }
}

describe('mneme migrate › refused', () => {
  it('without MNEME_POSTGRES_URL, without --to, with a folder that has no database', async () => {
    expect(await refusal('postgres', data, { MNEME_POSTGRES_URL: '' })).toMatch(/set MNEME_POSTGRES_URL/);
    expect((await runMneme(['migrate'])).stderr).toMatch(/--to <place>/);
    expect(await refusal('elsewhere', data, envOf('none'))).toMatch(/postgres, folder/);
    expect(await refusal('postgres', join(folder, 'missing'), envOf('none'))).toMatch(/missing has no mneme\.db/);
  });

  it('a wrong address', async () => {
    const env = { MNEME_POSTGRES_URL: `postgresql://u:${SECRET}@127.0.0.1:9/d` };
    expect(await refusal('postgres', copyOf('address'), env)).toMatch(/no connection to PostgreSQL at 127\.0\.0\.1:9/);
  });

  it('a folder that a server uses, and tables that a server uses', async () => {
    const [of, env] = [copyOf('used'), envOf('used')];
    const server = await serveMneme({ data: of, flags: ['--embedder', 'none'] });
    expect(await refusal('postgres', of, env)).toMatch(/is in use by another mneme: stop that one/);
    await server.stop();
    const viewing = await serveMneme({ data: join(folder, 'view'), env, flags: ['--embedder', 'none'] });
    expect(await refusal('postgres', of, env)).toMatch(/a server uses schema used of PostgreSQL: stop all servers/);
    expect(await refusal('folder', join(folder, 'from-used'), env)).toMatch(/a server uses schema used/);
    await viewing.stop();
    expect(await refusal('postgres', join(folder, 'view'), env)).toMatch(/is a view of PostgreSQL/);
  }, 120_000);

  it('a target with records, and a folder that is not empty', async () => {
    const env = envOf('taken');
    expect((await migrate('postgres', copyOf('first'), env)).code).toBe(0);
    expect(await refusal('postgres', copyOf('second'), env)).toMatch(/another migration|not empty/);
    await sql('taken', 'DROP TABLE IF EXISTS migration');
    expect(await refusal('postgres', copyOf('third'), env)).toMatch(/schema taken of PostgreSQL is not empty/);
    expect(await refusal('folder', data, env)).toMatch(/is not empty: name another one with --data/);
  }, 120_000);

  it('servers of a source that was moved; until its mark is removed', async () => {
    const [of, back, env] = [copyOf('moved'), join(folder, 'moved-back'), envOf('moved')];
    expect((await migrate('postgres', of, env)).code).toBe(0);
    const serve = (dir: string, given: Record<string, string> = {}) =>
      runMneme(['serve', '--listen', '127.0.0.1:0', '--data', dir], { env: given });
    expect((await serve(of)).stderr).toMatch(/were moved to .*schema moved at .*remove .*migrated\.json to go back/);
    expect(readFileSync(join(of, 'migrated.json'), 'utf8')).not.toContain(SECRET);
    expect((await migrate('folder', back, env)).code).toBe(0);
    expect((await serve(join(folder, 'v'), env)).stderr).toMatch(
      /has moved these records to .*DROP TABLE moved\.migration/,
    );
    rmSync(join(of, 'migrated.json'));
    await sql('moved', 'DROP TABLE migration');
    for (const [dir, given] of [
      [of, {}],
      [join(folder, 'v'), env],
    ] as const) {
      const server = await serveMneme({ data: dir, env: given, flags: ['--embedder', 'none'] });
      expect((await runMneme(['list', '--server', server.address])).stdout).toContain('the cat sleeps');
      await server.stop();
    }
  }, 120_000);

  it('records that were moved, to another place', async () => {
    const [of, back, env] = [copyOf('twice'), join(folder, 'twice-back'), envOf('twice')];
    expect((await migrate('postgres', of, env)).code).toBe(0);
    expect(await refusal('postgres', of, envOf('twice_again'))).toMatch(/were moved to .*schema twice at .*remove/);
    expect((await migrate('folder', back, env)).code).toBe(0);
    const again = join(folder, 'twice-again');
    expect(await refusal('folder', again, env)).toMatch(/were moved to \S+twice-back: .*DROP TABLE twice\.migration/);
    expect(existsSync(again)).toBe(false);
  }, 120_000);

  it('a schema without tables as the source, which stays without', async () => {
    const missing = join(folder, 'of-nothing');
    for (let run = 0; run < 2; run++) {
      expect(await refusal('folder', missing, envOf('nothing'))).toMatch(/schema nothing .* has no tables of mneme/);
    }
    expect(existsSync(missing)).toBe(false);
  }, 60_000);

  it('servers of a folder that is not filled yet, before it is changed', async () => {
    const half = join(folder, 'half-filled');
    mkdirSync(half, { mode: 0o700 });
    writeFileSync(join(half, 'mneme.db.migrating'), '');
    for (const env of [{}, envOf('beside_half')]) {
      const { code, stderr } = await runMneme(['serve', '--listen', '127.0.0.1:0', '--data', half], { env });
      expect([code, stderr]).toEqual([1, expect.stringMatching(/has not finished filling data folder \S+half-filled/)]);
    }
    expect(readdirSync(half)).toEqual(['mneme.db.migrating']);
  }, 60_000);

  it('a target that another version has begun to fill, which stays as it is', async () => {
    const [of, env] = [copyOf('begun'), envOf('begun')];
    expect((await migrate('postgres', of, env)).code).toBe(0);
    rmSync(join(of, 'migrated.json'));
    const source = await identityOf(of);
    await sql('begun', 'CREATE TABLE migration(key text PRIMARY KEY, value text NOT NULL)');
    await sql('begun', `INSERT INTO migration VALUES ('source', '${source}')`);
    expect(await refusal('postgres', of, env)).toMatch(/another version of mneme .* schema begun .*DROP SCHEMA begun/);
    await sql('begun', `DO $$ BEGIN ASSERT (SELECT count(*) FROM migration) = 1; END $$`);
  }, 120_000);

  it('tables whose sessions are in Redis', async () => {
    const env = envOf('redis');
    expect((await migrate('postgres', copyOf('redis'), env)).code).toBe(0);
    await sql('redis', `INSERT INTO session_home(mark) VALUES ('a')`);
    expect(await refusal('folder', join(folder, 'redis-back'), env)).toMatch(
      /sessions of schema redis .* are in Redis/,
    );
  }, 120_000);

  it('servers of tables that are not filled yet', async () => {
    const env = envOf('half');
    expect((await migrate('postgres', copyOf('half'), env)).code).toBe(0);
    await sql('half', `CREATE TABLE migration(key text PRIMARY KEY, value text NOT NULL)`);
    const { code, stderr } = await runMneme(['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'h')], { env });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/has not finished filling these tables: run it again/)]);
    expect(await refusal('folder', join(folder, 'half-back'), env)).toMatch(/finish that migration first/);
  }, 120_000);
});

describe('mneme migrate › compares', () => {
  it.each([
    ['a text', `UPDATE memory_body SET text = 'the cow sleeps' WHERE text = 'the cat sleeps'`],
    ['a lost change', 'DELETE FROM change_log WHERE revision = (SELECT max(revision) FROM change_log)'],
    ['an outcome', `UPDATE idempotency SET outcome = 'null'`],
  ])(
    '%s that is another one in the target › found, not finished',
    async (_, tamper) => {
      const schema = `tampered_${_.replaceAll(' ', '_')}`;
      const [of, env] = [copyOf(schema), envOf(schema)];
      expect((await migrate('postgres', of, env)).code).toBe(0);
      rmSync(join(of, 'migrated.json'));
      // As if it had happened before the comparison of a migration that was killed.
      const note = await identityOf(of);
      await sql(schema, `CREATE TABLE migration(key text PRIMARY KEY, value text NOT NULL)`);
      await sql(schema, `INSERT INTO migration VALUES ('source', '${note}'), ('form', '${FORM}')`);
      for (const kind of KINDS) await sql(schema, `INSERT INTO migration VALUES ('kind ${kind}', '{"isDone":true}')`);
      await sql(schema, tamper);
      const { code, stdout, stderr } = await migrate('postgres', of, env);
      expect(code).toBe(1);
      expect(`${stdout}${stderr}`).toMatch(/DIFFERS|is damaged in PostgreSQL/);
      expect(existsSync(join(of, 'migrated.json'))).toBe(false);
    },
    120_000,
  );

  it('a damaged memory of the folder › refused, and nothing is finished', async () => {
    const [of, env] = [copyOf('damaged'), envOf('damaged')];
    const database = new Database(join(of, 'mneme.db'));
    database.exec(`UPDATE memory_body SET text = 'the cow' WHERE text = 'the cat sleeps'`);
    database.close();
    const { code, stderr } = await migrate('postgres', of, env);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/namespaces\/default\/memories\/\S+ .*checksum|damaged/)]);
    expect(existsSync(join(of, 'migrated.json'))).toBe(false);
  }, 120_000);

  it('a memory of the folder whose body is lost › refused, and nothing is finished', async () => {
    const [of, env] = [copyOf('bodiless'), envOf('bodiless')];
    const database = new Database(join(of, 'mneme.db'));
    database.exec(`DELETE FROM memory_body WHERE text = 'the cat sleeps'`);
    database.close();
    expect(await refusal('postgres', of, env)).toMatch(/namespaces\/default\/memories\/\S+ cannot be read/);
    expect(existsSync(join(of, 'migrated.json'))).toBe(false);
  }, 120_000);

  it('a memory that was damaged when it was deleted, in a snapshot › refused by its name', async () => {
    const [of, env] = [copyOf('kept'), envOf('kept')];
    const database = new Database(join(of, 'mneme.db'));
    database.exec(
      `INSERT INTO agent_snapshot_memory(namespace_key, snapshot, id, state) SELECT key, 'first', 'gone', '' FROM namespace`,
    );
    database.close();
    expect(await refusal('postgres', of, env)).toMatch(
      /namespaces\/default\/memories\/gone was damaged .* snapshot first shows it: delete that snapshot/,
    );
  }, 120_000);

  (isMountable ? it : it.skip)(
    'a full disk of the new folder › one line; with room it goes on',
    async () => {
      const env = envOf('full');
      expect((await migrate('postgres', copyOf('full'), env)).code).toBe(0);
      const small = join(folder, 'disk');
      mkdirSync(small);
      const disk = mountDisk(small, 1);
      try {
        leaveFree(small, 100_000);
        expect(await refusal('folder', join(small, 'data'), env)).toMatch(/the disk of .* is full: free space there/);
        disk.grow(50);
        expect((await migrate('folder', join(small, 'data'), env)).code).toBe(0);
      } finally {
        disk.remove();
      }
    },
    120_000,
  );
});

const KINDS = [
  'settings',
  'namespace',
  'snapshot',
  'change',
  'memory',
  'former',
  'kept',
  'outcome',
  'subscription',
  'session',
  'entry',
  'note',
  'checkpoint',
  'manifest',
  'pack',
  'session_change',
  'event',
  'event_ends',
  'event_consumer',
];

/** As a migration names a folder. */
async function identityOf(of: string): Promise<string> {
  const { SqliteSource } = await import('../../src/storage/migration/sqlite-source.ts');
  const database = new Database(join(of, 'mneme.db'), { readonly: true });
  try {
    return new SqliteSource(database).identity;
  } finally {
    database.close();
  }
}
