import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Changes } from '../sqlite/changes.ts';
import { createTables } from '../sqlite/create-tables.ts';
import { databaseFileIn, openReadOnly, openWritable, type SqliteDatabase } from '../sqlite/database.ts';
import { RESERVE_FILE } from '../sqlite/disk-reserve.ts';
import { FolderError } from '../sqlite/driver-error.ts';
import {
  createFolder,
  FILLED_FILE,
  lockFolder,
  MIGRATED_FILE,
  movedTo,
  openFolder,
  refuseFilled,
  refuseMigrated,
  refuseView,
} from '../sqlite/folder.ts';
import { LOCK_FILE } from '../sqlite/linked-files.ts';
import { emptyLog, removeDatabase, replaceDatabase, syncPath } from '../sqlite/replace-database.ts';
import { restoreUpkeep } from '../sqlite/restore-upkeep.ts';
import { SCHEMA_NUMBER } from '../sqlite/tables.ts';
import { FORM } from './portable.ts';

/** A data folder that is read. */
export interface OpenedFolder {
  readonly database: SqliteDatabase;
  /** Closes the database and releases the lock. */
  close(): void;
}

/**
 * Locks a data folder and opens its database, with all indexes written, as a start of a server would. Fails with
 * FolderError where a server uses it, it has another schema, or its records were moved to another place than `to`.
 */
export function openSourceFolder(path: string, term: string, to: string): OpenedFolder {
  const folder = resolve(path);
  refuseView(folder, 'its memories are in PostgreSQL already');
  if (movedTo(folder) !== to) refuseMigrated(folder);
  if (!existsSync(databaseFileIn(folder))) throw new FolderError(`data folder ${folder} has no mneme.db`);
  const { release } = openFolder(folder);
  try {
    writeUpkeep(databaseFileIn(folder), term);
    const database = openReadOnly(folder);
    return {
      database,
      close() {
        database.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

function writeUpkeep(file: string, term: string): void {
  const database = openWritable(file);
  try {
    const changes = new Changes(database, term);
    database.transaction(() => {
      restoreUpkeep(changes);
      changes.upkeep.begin('all');
      changes.upkeep.finish();
      changes.upkeep.finishLog();
    })();
  } finally {
    database.close();
  }
}

/** From now on servers refuse the folder; the text says where its records are. */
export function markFolderMoved(path: string, moved: { readonly to: string; readonly at: string }): void {
  const file = join(resolve(path), MIGRATED_FILE);
  const written = `${file}.part`;
  writeFileSync(written, `${JSON.stringify(moved)}\n`, { mode: 0o600 });
  syncPath(written);
  renameSync(written, file);
  syncPath(resolve(path));
}

/** A data folder that is filled, in a file that is not its database yet. */
export interface FilledFolder extends OpenedFolder {
  /** What was noted under the name when the filling began; otherwise `make` makes it. */
  noted(name: string, make: () => Promise<string>): Promise<string>;
  /** Gives the folder its database. */
  finish(): void;
}

/**
 * Opens the database that a migration from a source fills; one that a migration from another source has left is removed.
 * Fails with FolderError where the folder has other files, or another version has begun to fill it.
 */
export function openTargetFolder(path: string, source: string): FilledFolder {
  const folder = resolve(path);
  createFolder(folder);
  const file = join(folder, FILLED_FILE);
  refuseFilled(folder, [FILLED_FILE, LOCK_FILE, RESERVE_FILE], 'name another one with --data');
  const release = lockFolder(folder);
  try {
    const begun = existsSync(file) ? notesIn(file) : undefined;
    if (begun && begun.source !== source) removeDatabase(file);
    else if (begun && begun.version !== VERSION_OF_FILLED) throw begunByAnother(folder, file, begun.version);
    const database = existsSync(file) ? openWritable(file) : createFile(file, source);
    return {
      database,
      async noted(name, make) {
        const known = readNote(database, name);
        if (known !== undefined) return known;
        const made = await make();
        writeNote(database, name, made);
        return made;
      },
      close() {
        if (database.open) database.close();
        release();
      },
      finish() {
        finishFile(database, file);
        replaceDatabase(folder, file);
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

const SOURCE = 'source';
/** Notes the schema and the form of records: pages of two versions do not fit together. */
const VERSION = 'version';
const VERSION_OF_FILLED = `${SCHEMA_NUMBER}.${FORM}`;

/** Makes a database that a migration from a source fills. */
export function createFile(file: string, source: string): SqliteDatabase {
  closeSync(openSync(file, 'wx', 0o600));
  createTables(file);
  const database = openWritable(file);
  database.transaction(() => {
    writeNote(database, VERSION, VERSION_OF_FILLED);
    writeNote(database, SOURCE, source);
  })();
  return database;
}

/** Closes a database that is filled; it is one file then. */
export function finishFile(database: SqliteDatabase, file: string): void {
  dropNotes(database);
  database.close();
  emptyLog(file);
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
}

interface FilledNotes {
  /** `undefined` also where the process ended before the file had tables. */
  readonly source: string | undefined;
  readonly version: string | undefined;
}

/** Throws where the file cannot be read: a half-filled target is not removed for a lock or a bad disk. */
function notesIn(file: string): FilledNotes {
  const database = openWritable(file);
  try {
    const hasNotes = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'meta'`).get() !== undefined;
    if (!hasNotes) return { source: undefined, version: undefined };
    return { source: readNote(database, SOURCE), version: readNote(database, VERSION) };
  } finally {
    database.close();
  }
}

function begunByAnother(folder: string, file: string, version = 'without a number'): FolderError {
  return new FolderError(
    `another version of mneme has begun to fill data folder ${folder} (schema ${version}, this one knows ${VERSION_OF_FILLED}): finish with that version, or remove ${file} to begin anew`,
  );
}

/** Before the keys of the notes of a migration in `meta`. */
const MARK = 'migration ';

export function readNote(database: SqliteDatabase, key: string): string | undefined {
  const row = database.prepare<[string], { value: unknown }>('SELECT value FROM meta WHERE key = ?').get(MARK + key);
  return row && String(row.value);
}

export function writeNote(database: SqliteDatabase, key: string, value: string): void {
  database.prepare<[string, string]>('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(MARK + key, value);
}

function dropNotes(database: SqliteDatabase): void {
  database.prepare<[string]>(`DELETE FROM meta WHERE key LIKE ? || '%'`).run(MARK);
}
