import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { migrateToFolder, migrateToPostgres } from '../../src/server/assembly/migrate-store.ts';
import { configFrom } from '../../src/server/config/config.ts';
import { runMneme } from '../cli/support/run-mneme.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { startServer } from './damage/server.ts';

let folder = '';
let data = '';
let postgres: PostgresServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-opening-'));
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

const optionsOf = (of: string, schema: string) => ({
  config: configFrom({ flags: { data: of }, env: postgres.envOf(schema) }),
  term: `of-${schema}`,
  nowMs: Date.now,
  sleep: async () => {},
});

function copyOf(name: string): string {
  const copy = join(folder, name);
  cpSync(data, copy, { recursive: true });
  return copy;
}

/** Ends with 1 and one line, which names the folder. */
async function refusal(to: string, of: string, schema: string): Promise<string> {
  const { code, stdout, stderr } = await runMneme(['migrate', '--to', to, '--data', of], {
    env: postgres.envOf(schema),
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(stderr).toContain(of);
  return stderr;
}

function inFile(file: string, text: string): void {
  const database = new Database(file);
  database.exec(text);
  database.close();
}

/** Writes zeros over the first page of a table. */
function damageTable(file: string, table: string): void {
  const database = new Database(file);
  const query = database.prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck();
  const page = query.get(table) ?? 0;
  database.close();
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(4096), 0, 4096, (page - 1) * 4096);
  closeSync(opened);
}

function makeFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

describe('mneme migrate › a source folder that cannot be opened or read › one line', () => {
  it.each([
    [
      'of another version',
      (file: string) => inFile(file, `UPDATE meta SET value = 99 WHERE key = 'schema'`),
      /mneme\.db has schema 99, and this version of mneme uses schema \d+ only: export/,
    ],
    ['with other bytes', (file: string) => writeFileSync(file, 'x'.repeat(8192)), /damaged/],
    ['whose numbers are damaged', (file: string) => damageTable(file, 'meta'), /damaged/],
    ['whose change log is damaged', (file: string) => damageTable(file, 'change_log'), /damaged/],
    ['whose memories are damaged', (file: string) => damageTable(file, 'memory'), /damaged/],
    ['whose sessions are damaged', (file: string) => damageTable(file, 'session'), /damaged/],
    ['that is a folder', makeFolder, /cannot be used \(SQLITE_CANTOPEN/],
  ])(
    'a database %s',
    async (name, spoil, why) => {
      const schema = name.replaceAll(' ', '_');
      const of = copyOf(schema);
      spoil(join(of, 'mneme.db'));
      expect(await refusal('postgres', of, schema)).toMatch(why);
      expect(existsSync(join(of, 'migrated.json'))).toBe(false);
    },
    60_000,
  );
});

describe('mneme migrate › a folder that another version has begun to fill', () => {
  it('is refused and stays as it is, until it is removed', async () => {
    const [half, schema] = [join(folder, 'half'), 'another_version'];
    expect((await migrateToPostgres(optionsOf(copyOf('moved'), schema))).isWhole).toBe(true);
    const onStep = () => Promise.reject(new Error('stopped'));
    await expect(migrateToFolder({ ...optionsOf(half, schema), onStep })).rejects.toThrow('stopped');
    const begun = join(half, 'mneme.db.migrating');
    inFile(begun, `UPDATE meta SET value = '16.1' WHERE key = 'migration version'`);
    const bytes = readFileSync(begun);
    for (let run = 0; run < 2; run++) {
      expect(await refusal('folder', half, schema)).toMatch(
        /another version of mneme has begun to fill .*\(schema 16\.1, this one knows \d+\.\d+\): finish with that version, or remove \S+mneme\.db\.migrating/,
      );
    }
    expect(readFileSync(begun)).toEqual(bytes);
    rmSync(begun);
    expect((await migrateToFolder(optionsOf(half, schema))).isWhole).toBe(true);
  }, 120_000);
});

describe('mneme migrate › a folder that this version has begun to fill', () => {
  const stopped = async (half: string, schema: string): Promise<string> => {
    expect((await migrateToPostgres(optionsOf(copyOf(`moved ${schema}`), schema))).isWhole).toBe(true);
    const onStep = () => Promise.reject(new Error('stopped'));
    await expect(migrateToFolder({ ...optionsOf(half, schema), onStep })).rejects.toThrow('stopped');
    return join(half, 'mneme.db.migrating');
  };

  it.each([
    [
      'has other bytes',
      'other_bytes',
      (file: string) => writeFileSync(file, 'x'.repeat(8192)),
      /is damaged: remove it/,
    ],
    ['is a folder', 'a_folder', makeFolder, /cannot be used \(SQLITE_CANTOPEN/],
  ])(
    'and whose file %s is refused and stays as it is',
    async (_, schema, spoil, why) => {
      const half = join(folder, `half ${schema}`);
      const begun = await stopped(half, schema);
      spoil(begun);
      for (let run = 0; run < 2; run++) expect(await refusal('folder', half, schema)).toMatch(why);
      expect(existsSync(begun)).toBe(true);
    },
    120_000,
  );

  it('is filled from the beginning where the file has no tables yet', async () => {
    const half = join(folder, 'half without tables');
    writeFileSync(await stopped(half, 'no_tables'), '');
    expect((await migrateToFolder(optionsOf(half, 'no_tables'))).isWhole).toBe(true);
  }, 120_000);
});
