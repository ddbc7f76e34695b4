import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { createTables } from './create-tables.ts';
import { databaseFileIn } from './database.ts';
import { makeRoomToOpen } from './disk-reserve.ts';
import { FolderError, sqliteCode } from './driver-error.ts';
import { LOCK_FILE } from './linked-files.ts';

/** A data folder that this process has locked. */
export interface Folder {
  readonly path: string;
  /** Releases the lock. Safe to call twice. */
  release(): void;
}

/** Creates the folder if needed, locks it for this process and creates its tables. */
export function openFolder(path: string): Folder {
  const folder = resolve(path);
  makeWritable(folder);
  const release = lock(folder);
  try {
    makeRoomToOpen(folder);
    checkUnused(folder);
    makePrivate(databaseFileIn(folder));
    createTables(databaseFileIn(folder));
    return { path: folder, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** In a folder that is a view: names the records that it is made from. */
export const VIEW_FILE = 'view.json';

/** Contents of the file. */
interface ViewMark {
  readonly records: string;
  /** Number of the schema of the view; 0 where the file has none. */
  readonly schema: number;
}

/** `undefined`: the folder owns its memories, or is empty. */
export function markOfView(path: string): ViewMark | undefined {
  const file = join(path, VIEW_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const { records, schema = 0 } = JSON.parse(readFileSync(file, 'utf8')) as Partial<ViewMark>;
    return { records: String(records), schema };
  } catch (error) {
    if (error instanceof SyntaxError) return { records: '', schema: 0 };
    throw error;
  }
}

/** Fails where the folder is a view, which owns nothing: what is stored in it would be lost. The message has a remedy. */
export function refuseView(path: string, remedy = 'set MNEME_POSTGRES_URL'): void {
  const folder = resolve(path);
  if (!markOfView(folder)) return;
  throw new FolderError(
    `data folder ${folder} is a view of PostgreSQL and owns no memories: ${remedy}, or give another folder with --data`,
  );
}

/** In a folder whose records were moved to PostgreSQL: says where they are. */
export const MIGRATED_FILE = 'migrated.json';

/** Fails where the records of the folder were moved: what is stored in it from then on would be missing there. */
export function refuseMigrated(path: string): void {
  const file = join(resolve(path), MIGRATED_FILE);
  if (!existsSync(file)) return;
  const { to, at } = migrationIn(file);
  throw new FolderError(
    `the memories of data folder ${resolve(path)} were moved to ${to}${at}: set MNEME_POSTGRES_URL and give another folder with --data, or remove ${file} to go back to the folder as it was then`,
  );
}

/** Place that the records of the folder were moved to. `undefined`: they are here. */
export function movedTo(path: string): string | undefined {
  const file = join(resolve(path), MIGRATED_FILE);
  return existsSync(file) ? migrationIn(file).to : undefined;
}

/** Beside the database of a folder that a migration fills: it becomes the database at the end. */
export const FILLED_FILE = 'mneme.db.migrating';

/** Fails where a migration has begun to fill the folder: what is stored in it meanwhile would be lost. */
export function refuseUnfinished(path: string): void {
  const file = join(resolve(path), FILLED_FILE);
  if (!existsSync(file)) return;
  throw new FolderError(
    `"mneme migrate" has not finished filling data folder ${resolve(path)}: run it again, or remove ${file} and give another folder with --data`,
  );
}

function migrationIn(file: string): { to: string; at: string } {
  try {
    const { to, at } = JSON.parse(readFileSync(file, 'utf8')) as { to?: unknown; at?: unknown };
    return { to: typeof to === 'string' ? to : 'PostgreSQL', at: typeof at === 'string' ? ` at ${at}` : '' };
  } catch (error) {
    if (error instanceof SyntaxError) return { to: 'PostgreSQL', at: '' };
    throw error;
  }
}

/** Fails where the folder has other files than those whose names begin so. The message has a remedy. */
export function refuseFilled(folder: string, beginnings: readonly string[], remedy: string): void {
  const names = readdirSync(folder).filter((name) => !beginnings.some((beginning) => name.startsWith(beginning)));
  if (names.length === 0) return;
  throw new FolderError(`data folder ${folder} is not empty: ${remedy}`);
}

/** Locks the folder; creates it if needed. Fails where another process has locked it. */
export function checkFree(path: string): void {
  const folder = resolve(path);
  makeWritable(folder);
  lock(folder)();
}

/** Creates a missing data folder. Fails with FolderError where it cannot be written to. */
export function createFolder(path: string): void {
  makeWritable(resolve(path));
}

/** Locks an existing folder as a server does, without opening its database; returns the release of the lock. */
export function lockFolder(path: string): () => void {
  const folder = resolve(path);
  if (!existsSync(folder)) throw new FolderError(`data folder ${folder} does not exist`);
  const release = lock(folder);
  try {
    checkUnused(folder);
    return release;
  } catch (error) {
    release();
    throw error;
  }
}

function makeWritable(folder: string): void {
  try {
    make(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'is not a folder' : `cannot be written to (${code})`;
    throw new FolderError(`data folder ${folder} ${why}: give another one with --data, or correct it`, { cause });
  }
}

/** The folder and what is in it, as far as other users of the machine may use it; not what is in private folders. */
export function openToOthers(folder: string): string[] {
  const paths = [folder, ...readdirSync(folder).map((name) => join(folder, name))];
  return paths.filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0);
}

/** Creates a missing file for its owner only. SQLite gives the files beside a database the mode of the database. */
export function makePrivate(file: string): void {
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

/**
 * Creates one folder at a time: `recursive` of Node never returns below a folder that accepts no other, such as
 * `/proc`. Memories are private: the data folder and its files are for their owner only.
 */
function make(folder: string, mode = 0o700): void {
  try {
    const parent = dirname(folder);
    if (!existsSync(parent)) make(parent, 0o777);
    mkdirSync(folder, { mode });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && statSync(folder).isDirectory();
    if (!isThere) throw error;
  }
}

function lock(folder: string): () => void {
  try {
    return lockFile(join(folder, LOCK_FILE));
  } catch (cause) {
    const code = sqliteCode(cause);
    if (!code) throw cause;
    if (code.startsWith('SQLITE_BUSY')) throw inUse(folder, cause);
    const message = `data folder ${folder} cannot be locked (${code}): check its permissions and disk, or give another with --data`;
    throw new FolderError(message, { cause });
  }
}

/**
 * The operating system holds the lock for an open SQLite file, so it ends with the process, even after a crash, and
 * leaves nothing to clean up. Fails with SQLITE_BUSY where another process holds it.
 */
export function lockFile(file: string): () => void {
  let held: Database.Database | undefined;
  try {
    makePrivate(file);
    held = new Database(file, { timeout: 0 });
    held.pragma('journal_mode = MEMORY');
    held.pragma('locking_mode = EXCLUSIVE');
    held.exec('BEGIN EXCLUSIVE');
    return () => held?.close();
  } catch (error) {
    held?.close();
    throw error;
  }
}

/** A server whose lock file was removed still has the database open, which SQLite locks as well. */
function checkUnused(folder: string): void {
  const file = databaseFileIn(folder);
  if (!existsSync(file)) return;
  const database = new Database(file, { timeout: 0 });
  try {
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; ROLLBACK');
  } catch (cause) {
    // `createTables` has words for other faults.
    if (sqliteCode(cause)?.startsWith('SQLITE_BUSY')) throw inUse(folder, cause);
  } finally {
    database.close();
  }
}

function inUse(folder: string, cause: unknown): FolderError {
  const message = `data folder ${folder} is in use by another mneme: stop that one, or give another folder with --data`;
  return new FolderError(message, { cause });
}
