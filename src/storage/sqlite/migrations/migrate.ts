import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openWritable, type SqliteDatabase } from '../database.ts';
import { sqliteCode } from '../driver-error.ts';
import { FolderError } from '../folder-error.ts';
import { pathPrefix, valueTerm } from '../value-terms.ts';
import { MIGRATIONS } from './migrations.ts';

/**
 * Applies the migrations that a database lacks, each once and in order, all in one transaction. A database with
 * anything in it is copied beside itself first, as `mneme-before-<number of the first one applied>.db`. One that a
 * newer version has written is left alone and refused.
 */
export function migrate(file: string, migrations: readonly string[] = MIGRATIONS): void {
  let database: SqliteDatabase | undefined;
  try {
    database = openWritable(file);
    const applied = appliedMigrations(database);
    if (applied > migrations.length) throw new FolderError(newerSchema(file, applied, migrations.length));
    if (applied === migrations.length) return;
    if (applied > 0) backUp(database, join(dirname(file), `mneme-before-${applied + 1}.db`));
    applyFrom(database, applied, migrations);
  } catch (cause) {
    if (!sqliteCode(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : '';
    throw new FolderError(`${file} cannot be used (${why}): restore it from a copy, or use another folder`, { cause });
  } finally {
    database?.close();
  }
}

function appliedMigrations(database: SqliteDatabase): number {
  const hasMeta = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`).get();
  if (!hasMeta) return 0;
  const row = database.prepare<[], { value: number }>(`SELECT value FROM meta WHERE key = 'schema'`).get();
  return row?.value ?? 0;
}

function applyFrom(database: SqliteDatabase, applied: number, migrations: readonly string[]): void {
  database.function('value_term', { deterministic: true }, termOfStoredValue as (...values: unknown[]) => string);
  const apply = database.transaction(() => {
    for (const migration of migrations.slice(applied)) database.exec(migration);
    database.prepare(`INSERT OR REPLACE INTO meta VALUES ('schema', ?)`).run(migrations.length);
  });
  apply.exclusive();
}

/** A value as rows of `memory_value` had it: text, number, x'00' false, x'01' true, x'' null, x'02' an empty array or object. */
function termOfStoredValue(namespaceKey: number, pathKey: number, value: string | number | Uint8Array): string {
  const meant = typeof value === 'object' ? [null, false, true, undefined][(value[0] ?? -1) + 1] : value;
  return pathPrefix(namespaceKey, pathKey) + valueTerm(meant);
}

/** The copy gets its name when it is whole; one of an earlier try that failed after it is the same and is replaced. */
function backUp(database: SqliteDatabase, file: string): void {
  const unfinished = `${file}.unfinished`;
  if (existsSync(unfinished)) rmSync(unfinished);
  database.prepare('VACUUM INTO ?').run(unfinished);
  renameSync(unfinished, file);
}

function newerSchema(file: string, applied: number, known: number): string {
  return `${file} was written by a newer mneme (schema ${applied}, this one knows ${known}): run that version, or use another folder`;
}
