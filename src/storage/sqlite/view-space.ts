import { readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from '#kysely';
import { hasLeftovers } from './commands/erase-leftovers.ts';
import { databaseFileIn, PAGE_BYTES, prepared, type SqliteDatabase } from './database.ts';

/** Bytes of a database without its free pages, and whether it has rows to erase. */
export function spaceIn(database: SqliteDatabase): { readonly bytes: number; readonly isErasing: boolean } {
  const pages = Number(database.pragma('page_count', { simple: true }));
  const free = Number(database.pragma('freelist_count', { simple: true }));
  return { bytes: (pages - free) * PAGE_BYTES, isErasing: hasLeftovers(database) };
}

/** Bytes of the files that are made from the database. */
export async function derivedBytes(databaseFile: string): Promise<number> {
  const folders = DERIVED_FOLDERS.map((name) => join(dirname(databaseFile), name));
  return (await Promise.all(folders.map(bytesIn))).reduce((sum, bytes) => sum + bytes, 0);
}

const NUMBER = /^\d+$/;

/**
 * Deletes the files that are made from deleted namespaces, as far as the search threads have left them: these do it for
 * namespaces that they have in memory, and a process may end before they do. `deletedAmong`: those of the keys that no
 * namespace has. Fails with the first error, after it has tried all.
 */
export async function dropFilesOfDeleted(
  databaseFile: string,
  deletedAmong: (keys: readonly number[]) => Promise<readonly number[]>,
): Promise<void> {
  const folders = DERIVED_FOLDERS.map((name) => join(dirname(databaseFile), name));
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(ifThere<string[]>([]))));
  const keys = [...new Set(names.flat())].filter((name) => NUMBER.test(name)).map(Number);
  if (keys.length === 0) return;
  const failures: unknown[] = [];
  for (const key of await deletedAmong(keys)) {
    for (const folder of folders) {
      await rm(join(folder, String(key)), { recursive: true, force: true }).catch((error) => failures.push(error));
    }
  }
  if (failures.length > 0) throw failures[0];
}

const withoutNamespace = prepared(
  (p: { keys: string }) => sql<{ key: number }>`
    SELECT value AS key FROM json_each(${p.keys}) WHERE value NOT IN (SELECT key FROM namespace)`,
);

export function deletedKeysAmong(database: SqliteDatabase, keys: readonly number[]): number[] {
  return withoutNamespace(database)
    .all({ keys: JSON.stringify(keys) })
    .map(({ key }) => key);
}

/** Files may come and go meanwhile. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifThere([]));
  let bytes = 0;
  for (const entry of entries) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name)).catch(ifThere({ size: 0 }))).size;
  }
  return bytes;
}

function ifThere<T>(missing: T): (error: unknown) => T {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return missing;
    throw error;
  };
}

/** Folders of what is made from the database. */
const DERIVED_FOLDERS = ['vectors', 'texts', 'columns', 'graphs'];

async function dropDerived(folder: string): Promise<void> {
  for (const name of DERIVED_FOLDERS) await rm(join(folder, name), { recursive: true, force: true });
}

/** Deletes the database of a folder, with what is made from it. No process may have it open. */
export async function dropDatabase(folder: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(databaseFileIn(folder) + end, { force: true });
  await dropDerived(folder);
}
