import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasLeftovers } from './commands/erase-leftovers.ts';
import { PAGE_BYTES, type SqliteDatabase } from './database.ts';
import { DERIVED_FOLDERS } from './derived-files.ts';

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
