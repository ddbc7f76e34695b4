import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { MIGRATIONS, migrate } from '../../../src/storage/sqlite/migrations/migrate.ts';

const NEXT = 'CREATE TABLE second(a INTEGER)';
const AFTER_NEXT = 'CREATE TABLE third(a INTEGER)';

describe('migrations', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mneme-migrate-'));
    file = join(folder, 'mneme.db');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function read(of: string, sql: string): unknown {
    const database = new Database(of, { readonly: true });
    try {
      return database.prepare(sql).pluck().get();
    } finally {
      database.close();
    }
  }
  function write(sql: string): void {
    const database = new Database(file);
    database.exec(sql);
    database.close();
  }
  const schema = (of = file) => read(of, "SELECT value FROM meta WHERE key = 'schema'");

  it('no database › all of them, without a backup', () => {
    migrate(file);
    expect(schema()).toBe(MIGRATIONS.length);
    expect(readdirSync(folder).filter((name) => name.startsWith('mneme-before'))).toEqual([]);
  });

  it('up to date › nothing changes', () => {
    migrate(file);
    write("INSERT INTO meta VALUES ('mark', 1)");
    migrate(file);
    expect(read(file, "SELECT value FROM meta WHERE key = 'mark'")).toBe(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('mneme-before'))).toEqual([]);
  });

  it('older › the missing ones in order, once, after a copy beside it', () => {
    migrate(file, MIGRATIONS);
    write("INSERT INTO namespace VALUES (1, 'kept', '', 0, '', 0, 1, 0, 0, 1, 1)");
    const more = [...MIGRATIONS, NEXT, AFTER_NEXT];
    migrate(file, more);
    migrate(file, more);
    expect(schema()).toBe(more.length);
    expect(read(file, 'SELECT name FROM namespace')).toBe('kept');
    const backup = join(folder, `mneme-before-${MIGRATIONS.length + 1}.db`);
    expect(schema(backup)).toBe(MIGRATIONS.length);
    expect(read(backup, 'SELECT name FROM namespace')).toBe('kept');
  });

  it('one fails › none has an effect, and a retry is possible', () => {
    migrate(file);
    expect(() => migrate(file, [...MIGRATIONS, NEXT, 'CREATE NONSENSE'])).toThrow(
      expect.objectContaining({ name: 'FolderError' }),
    );
    expect(schema()).toBe(MIGRATIONS.length);
    migrate(file, [...MIGRATIONS, NEXT]);
    expect(schema()).toBe(MIGRATIONS.length + 1);
  });

  it('newer › unchanged and refused in one line that says what to do', () => {
    migrate(file, [...MIGRATIONS, NEXT]);
    const expected = { name: 'FolderError', message: expect.stringMatching(/^.*newer mneme .*run that version.*$/) };
    expect(() => migrate(file)).toThrow(expect.objectContaining(expected));
    expect(schema()).toBe(MIGRATIONS.length + 1);
    expect(existsSync(join(folder, `mneme-before-${MIGRATIONS.length + 1}.db`))).toBe(false);
  });
});
