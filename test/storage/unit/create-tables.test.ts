import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { makeBackup } from '../../../src/storage/sqlite/backup/make-backup.ts';
import { createTables } from '../../../src/storage/sqlite/create-tables.ts';
import { repairFolder } from '../../../src/storage/sqlite/damage/repair.ts';
import { verifyFolder } from '../../../src/storage/sqlite/damage/verify.ts';
import { openWritable } from '../../../src/storage/sqlite/database.ts';
import { SCHEMA_NUMBER, TABLES } from '../../../src/storage/sqlite/tables.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mneme-tables-'));
  file = join(folder, 'mneme.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

function inDatabase<T>(work: (database: Database.Database) => T, of = file): T {
  const database = new Database(of);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const schemaIn = (of = file) =>
  inDatabase((database) => database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2').all(), of);
const numberIn = (of = file) =>
  inDatabase((database) => database.prepare(`SELECT value FROM meta WHERE key = 'schema'`).pluck().get(), of);
const setNumber = (number: number) =>
  inDatabase((database) => database.prepare(`UPDATE meta SET value = ? WHERE key = 'schema'`).run(number));

describe('the tables of a data folder', () => {
  it.each<[string, () => void]>([
    ['no file', () => {}],
    ['an empty file', () => writeFileSync(file, '')],
    ['a database without tables', () => inDatabase((database) => database.pragma('journal_mode = WAL'))],
  ])('%s › are created', (_, make) => {
    make();
    createTables(file);
    expect(numberIn()).toBe(SCHEMA_NUMBER);
    expect(readdirSync(folder)).toEqual(['mneme.db']);
  });

  it('are there › nothing changes', () => {
    createTables(file);
    const bytes = readFileSync(file);
    createTables(file);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it('the process is killed while their transaction is written › the next start creates all of them', () => {
    createTables(file);
    const expected = schemaIn();
    const [half, log] = [join(folder, 'half.db'), join(folder, 'half.db-wal')];
    const database = openWritable(join(folder, 'written.db'));
    database.transaction(() => database.exec(TABLES))();
    const bytes = statSync(join(folder, 'written.db-wal')).size;
    expect(bytes).toBeGreaterThan(100_000);
    for (let part = 0; part <= 10; part++) {
      copyFileSync(join(folder, 'written.db'), half);
      copyFileSync(join(folder, 'written.db-wal'), log);
      truncateSync(log, Math.floor((bytes * part) / 10));
      createTables(half);
      expect([part, schemaIn(half), numberIn(half)]).toEqual([part, expected, SCHEMA_NUMBER]);
      rmSync(half);
    }
    database.close();
  });

  it.each([1, SCHEMA_NUMBER - 1, SCHEMA_NUMBER + 1])('of schema %d › refused in one line, and unchanged', (number) => {
    createTables(file);
    setNumber(number);
    const bytes = readFileSync(file);
    const message = `${file} has schema ${number}, and this version of mneme uses schema ${SCHEMA_NUMBER} only: export the memories with the version that wrote it, or start with another folder (--data)`;
    expect(() => createTables(file)).toThrow(expect.objectContaining({ name: 'FolderError', message }));
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  it.each<[string, () => void, RegExp]>([
    [
      'a database of another program',
      () => inDatabase((database) => database.exec('CREATE TABLE memory(a)')),
      /mneme\.db cannot be used \(table memory already exists\): restore it from a copy, or use another folder$/,
    ],
    [
      'another file',
      () => writeFileSync(file, 'no database '.repeat(1000)),
      /is damaged where the server needs it to start/,
    ],
    [
      'a database that is cut',
      () => {
        createTables(file);
        truncateSync(file, 8192);
      },
      /is damaged where the server needs it to start/,
    ],
  ])('%s › refused in one line', (_, make, message) => {
    make();
    expect(() => createTables(file)).toThrow(
      expect.objectContaining({ name: 'FolderError', message: expect.stringMatching(message) }),
    );
  });
});

describe('the tables of another version', () => {
  const nowMs = () => 0;
  it.each<[string, () => unknown]>([
    ['verify it', () => verifyFolder(folder)],
    ['repair it', () => repairFolder({ folder, nowMs: 0 })],
    ['back it up', () => makeBackup({ folder, repository: join(folder, 'backups'), version: '0.1.0', nowMs })],
  ])('%s › refused in one line', async (verb, work) => {
    createTables(file);
    setNumber(SCHEMA_NUMBER - 1);
    const message = `data folder ${folder} has schema ${SCHEMA_NUMBER - 1}, and this version of mneme uses schema ${SCHEMA_NUMBER} only: ${verb} with the version that wrote it`;
    await expect((async () => work())()).rejects.toMatchObject({ name: 'FolderError', message });
    expect(numberIn()).toBe(SCHEMA_NUMBER - 1);
  });
});
