import { closeSync, copyFileSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFileIn, openWritable, type SqliteDatabase } from './database.ts';

/** Folders of recall in a data folder; made again from the memories. */
const CACHES = ['vectors', 'texts', 'columns', 'graphs'];

/** What is in the write-ahead log belongs to the database: a file in its place must not find it. */
export function emptyLog(file: string): void {
  let database: SqliteDatabase | undefined;
  try {
    database = openWritable(file);
    database.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    database?.close();
  }
}

/** Puts a finished file in the place of the database by one rename, after the caches of the former one are removed. */
export function replaceDatabase(folder: string, finished: string): void {
  syncPath(finished);
  syncPath(folder);
  for (const cache of CACHES) rmSync(join(folder, cache), { recursive: true, force: true });
  renameSync(finished, databaseFileIn(folder));
  syncPath(folder);
}

/** Gives a file a second name; a link where the file system has links. */
export function keepFile(file: string, keptFile: string): void {
  try {
    linkSync(file, keptFile);
  } catch {
    copyFileSync(file, keptFile);
    syncPath(keptFile);
  }
}

/** Name for a former database that stays in its folder, such as `mneme-damaged-2026-11-27T10-00-00-000Z.db`. */
export function keptFileIn(folder: string, why: string, nowMs: number): string {
  return join(folder, `mneme-${why}-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}.db`);
}

/** Removes a database with the files that SQLite has made beside it. */
export function removeDatabase(file: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${part}`, { force: true });
}

/** Waits until a file or the names in a folder are on the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
