import { join } from 'node:path';
import Database from 'better-sqlite3';

export type SqliteDatabase = Database.Database;

/** How long a statement waits for a lock of another connection; only checkpoints and migrations hold one for long. */
const BUSY_TIMEOUT_MS = 5000;
const WRITER_CACHE_KIB = 65_536;
const READER_CACHE_KIB = 16_384;
/** Size that the write-ahead log is cut back to when a checkpoint has emptied it. */
const LOG_BYTES_KEPT = 67_108_864;
/** Pages of the log after which it is written into the database: rarer checkpoints write each page of an index once. */
const CHECKPOINT_PAGES = 4000;

const settings = [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  `cache_size = -${WRITER_CACHE_KIB}`,
  `journal_size_limit = ${LOG_BYTES_KEPT}`,
  `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  'temp_store = MEMORY',
];

/** Opens a database for writing. A commit is on disk when it returns: the default of WAL would lose it in a power cut. */
export function openWritable(file: string): SqliteDatabase {
  const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    for (const setting of settings) database.pragma(setting);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Opens the database of a data folder for reading; sees every commit of the writer from its next statement on. */
export function openReadOnly(folder: string): SqliteDatabase {
  const database = new Database(databaseFileIn(folder), {
    readonly: true,
    fileMustExist: true,
    timeout: BUSY_TIMEOUT_MS,
  });
  database.pragma(`cache_size = -${READER_CACHE_KIB}`);
  database.pragma('temp_store = MEMORY');
  return database;
}

export function databaseFileIn(folder: string): string {
  return join(folder, 'mneme.db');
}
