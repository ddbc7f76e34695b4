import { closeSync, existsSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { CHANGE } from './change-log.ts';
import { createTables } from './create-tables.ts';
import { databaseFileIn, openReadOnly, prepared, queries, type SqliteDatabase } from './database.ts';
import { FolderError, sqliteCode } from './driver-error.ts';
import {
  checkFree,
  makePrivate,
  markOfView,
  refuseMigrated,
  refuseUnfinished,
  refuseView,
  VIEW_FILE,
} from './folder.ts';
import { emptyLog, removeDatabase, replaceDatabase } from './replace-database.ts';
import { SCHEMA_NUMBER } from './tables.ts';
import { dropDatabase } from './view-space.ts';

/** In the place of the records' name: the view is made anew at the next start. */
const DAMAGED = 'damaged';
/** Of `hadNamespace`, which only views ask for. */
const DELETIONS = `CREATE INDEX change_log_deletion ON change_log(id) WHERE kind = ${CHANGE.namespaceDeleted}`;

export interface PreparedView {
  /** Why the view is made anew; absent where it goes on, or is the first one. */
  readonly anew?: string;
}

/**
 * Makes a data folder a view of records, which owns nothing; `of` names the records. A view of other records, or of
 * another schema, is deleted. Fails with FolderError where the folder owns memories. The process may end between any two
 * steps.
 */
export async function prepareView(path: string, of: string): Promise<PreparedView> {
  const folder = resolve(path);
  checkFree(folder);
  const known = markOfView(folder);
  if (known?.records === of && known.schema === SCHEMA_NUMBER) {
    if (!existsSync(databaseFileIn(folder))) await replaceByEmpty(folder);
    return {};
  }
  refuseOwner(folder);
  await replaceByEmpty(folder);
  mark(folder, of);
  if (!known) return {};
  if (known.records === DAMAGED) return { anew: 'it was damaged' };
  return { anew: known.records === of ? 'it was that of another version' : 'it was that of other records' };
}

/**
 * Fails with FolderError where a server may not use the folder: a migration has filled it in part or moved its memories; it
 * is a view, and the server has no PostgreSQL; or it owns memories, and the server has one. Changes nothing.
 */
export function refuseOtherUse(path: string, { isOfView }: { readonly isOfView: boolean }): void {
  refuseUnfinished(path);
  if (isOfView) {
    refuseOwner(resolve(path));
  } else {
    refuseView(path);
    refuseMigrated(path);
  }
}

function refuseOwner(folder: string): void {
  if (markOfView(folder) || !ownsMemories(folder)) return;
  refuseMigrated(folder);
  throw new FolderError(
    `data folder ${folder} owns memories, and with MNEME_POSTGRES_URL PostgreSQL owns them: give another folder with --data, and bring the memories into PostgreSQL with "mneme migrate" (docs/postgres.md)`,
  );
}

/** Deletes the contents of a view that cannot be opened. */
export async function emptyView(path: string): Promise<void> {
  const folder = resolve(path);
  checkFree(folder);
  await replaceByEmpty(folder);
}

/** Has the view made anew at the next start. */
export function markDamaged(path: string): void {
  mark(resolve(path), DAMAGED);
}

/**
 * Puts an empty database in the place of that of the folder. It has its name only when it is whole: the next start goes
 * on with a database of that name.
 */
async function replaceByEmpty(folder: string): Promise<void> {
  // With its write-ahead log, which another database must not find.
  await dropDatabase(folder);
  const unfinished = `${databaseFileIn(folder)}.new`;
  removeDatabase(unfinished);
  createDatabase(unfinished);
  emptyLog(unfinished);
  replaceDatabase(folder, unfinished);
}

/**
 * A view gives the pages of evicted namespaces back to the disk, which is chosen before there are tables. A database
 * without memories owns nothing.
 */
function createDatabase(file: string): void {
  makePrivate(file);
  const database = new Database(file);
  try {
    database.pragma('auto_vacuum = INCREMENTAL');
    database.pragma('journal_mode = WAL');
    createTables(file);
    database.exec(DELETIONS);
  } finally {
    database.close();
  }
}

/** Durable before anything is written into the view. */
function mark(folder: string, of: string): void {
  const file = join(folder, VIEW_FILE);
  const unfinished = `${file}.new`;
  const descriptor = openSync(unfinished, 'w', 0o600);
  writeSync(descriptor, `${JSON.stringify({ records: of, schema: SCHEMA_NUMBER })}\n`);
  fsyncSync(descriptor);
  closeSync(descriptor);
  renameSync(unfinished, file);
}

const anyNamespace = prepared((_: object) => queries.selectFrom('namespace').select('key').limit(1));

/** True also for a database that cannot be read: its memories may be saved. */
function ownsMemories(folder: string): boolean {
  if (!existsSync(databaseFileIn(folder))) return false;
  let database: SqliteDatabase | undefined;
  try {
    database = openReadOnly(folder);
    return anyNamespace(database).get({}) !== undefined;
  } catch (error) {
    // A first start has ended before there were tables.
    if (sqliteCode(error) === 'SQLITE_ERROR') return false;
    if (sqliteCode(error)) return true;
    throw error;
  } finally {
    database?.close();
  }
}
