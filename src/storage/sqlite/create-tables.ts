import { dirname } from 'node:path';
import { openWritable, type SqliteDatabase } from './database.ts';
import { damagedFolder, FolderError, isPageDamage, sqliteCode } from './driver-error.ts';
import { SCHEMA_NUMBER, TABLES } from './tables.ts';

const REMEDY = 'export the memories with the version that wrote it, or start with another folder (--data)';

/**
 * Creates the tables of a database without tables, in one transaction. Fails with FolderError, and changes nothing, for
 * a database with another schema, or a file that is no whole database.
 */
export function createTables(file: string): void {
  let database: SqliteDatabase | undefined;
  try {
    database = openWritable(file);
    const found = schemaIn(database);
    if (found === undefined) database.transaction(() => database?.exec(TABLES)).exclusive();
    else checkNumber(found, file, REMEDY);
  } catch (cause) {
    if (isPageDamage(cause)) throw damagedFolder(dirname(file), cause);
    if (!sqliteCode(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : '';
    throw new FolderError(`${file} cannot be used (${why}): restore it from a copy, or use another folder`, { cause });
  } finally {
    database?.close();
  }
}

/**
 * Fails with FolderError for a database with another schema, or without tables. A damaged number passes: the damage is
 * found with that of other pages.
 */
export function checkSchema(database: SqliteDatabase, subject: string, remedy: string): void {
  try {
    checkNumber(schemaIn(database), subject, remedy);
  } catch (error) {
    if (!isPageDamage(error)) throw error;
  }
}

/** Fails with FolderError for another number than that of this version. `remedy` says what to do. */
export function checkNumber(found: number | undefined, subject: string, remedy: string): void {
  if (found === SCHEMA_NUMBER) return;
  throw new FolderError(
    `${subject} has schema ${found ?? 'none'}, and this version of mneme uses schema ${SCHEMA_NUMBER} only: ${remedy}`,
  );
}

/** `undefined`: the database has no tables. */
function schemaIn(database: SqliteDatabase): number | undefined {
  const hasMeta = database.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'`).get();
  if (!hasMeta) return undefined;
  return database.prepare<[], number>(`SELECT value FROM meta WHERE key = 'schema'`).pluck().get();
}
