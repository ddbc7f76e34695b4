import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseFileIn } from './database.ts';

/** Folders of what is made from the database. */
export const DERIVED_FOLDERS = ['vectors', 'texts', 'columns', 'graphs'];

export async function dropDerived(folder: string): Promise<void> {
  for (const name of DERIVED_FOLDERS) await rm(join(folder, name), { recursive: true, force: true });
}

/** Deletes the database of a folder, with what is made from it. No process may have it open. */
export async function dropDatabase(folder: string): Promise<void> {
  for (const end of ['', '-wal', '-shm']) await rm(databaseFileIn(folder) + end, { force: true });
  await dropDerived(folder);
}
