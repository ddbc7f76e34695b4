import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type CommandLog, type CommandLogHead, FORMAT } from '../command-log.ts';
import { redisUnavailable } from '../redis/driver-error.ts';
import type { SharedPosition } from '../shared-position.ts';
import { databaseFileIn, openWritable } from '../sqlite/database.ts';
import { dropDatabase, dropDerived } from '../sqlite/derived-files.ts';
import { positionIn, setPosition } from '../sqlite/shared-position.ts';
import { dropUnfinished, fetchSnapshot, storeSnapshot } from './view-snapshot.ts';

export interface FolderOptions {
  readonly folder: string;
  readonly log: CommandLog;
  /** Adds the server's private data in Redis to a database that is not a copy; creates the database if needed. */
  readonly complete: (folder: string) => Promise<void>;
  /** Deletes that data in Redis, as the database holds it. */
  readonly release: () => Promise<void>;
}

/** Folders in the data folder with memories still to be imported, and imported ones. */
const PENDING = 'bring-in-';
const DONE = 'brought-in-';
/** The copy is damaged: none of its data is to be imported. */
const DAMAGED = 'damaged-copy';
const ATTEMPTS_MAX = 10;

/**
 * Makes the data folder a copy of the shared data, from a snapshot. Where nothing is shared yet, the folder's data
 * becomes the shared data; otherwise data that only the folder has is moved aside for a later import. The process may
 * end at any moment: the next start continues.
 */
export async function prepareFolder(options: FolderOptions): Promise<SharedPosition> {
  await dropUnfinished(options.folder);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const head = await options.log.head();
    if (head && head.format > FORMAT) throw redisUnavailable('other_format');
    // Commands of a lower format mean the same here, but servers of that format must not follow those of this one.
    if (head && head.format < FORMAT) await options.log.raiseFormat(head.epoch);
    const position = head ? await asCopy(options, head) : await asOrigin(options);
    if (position) return position;
  }
  throw new Error('the shared log in Redis changes faster than a copy of it can be made');
}

/** Marks the copy in a folder to be made anew. */
export async function discardCopy(folder: string): Promise<void> {
  await mkdir(join(folder, DAMAGED), { recursive: true, mode: 0o700 });
}

/** Folders with memories that are still to be imported. */
export async function pendingFolders(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.startsWith(PENDING)).map((name) => join(folder, name));
}

export async function noteBroughtIn(pending: string): Promise<void> {
  await rename(pending, pending.replace(PENDING, DONE));
}

async function asCopy(options: FolderOptions, head: CommandLogHead): Promise<SharedPosition | undefined> {
  const { folder, log } = options;
  if (existsSync(join(folder, DAMAGED))) {
    await dropDatabase(folder);
    await rm(join(folder, DAMAGED), { recursive: true });
  }
  const own = positionIn(folder);
  const found = own && (await placeIn(log, head, own));
  if (own && found === 'followed') return own;
  if (own && found === 'unknown') await dropDatabase(folder);
  else if (own || existsSync(databaseFileIn(folder))) {
    if (!own) await options.complete(folder);
    await putAside(folder);
    if (!own) await options.release();
  }
  return (await fetchSnapshot(log, head.snapshot, folder)) ? positionIn(folder) : undefined;
}

async function asOrigin({ folder, log, complete, release }: FolderOptions): Promise<SharedPosition | undefined> {
  const own = positionIn(folder);
  if (!own) await complete(folder);
  const at = own ?? { epoch: randomUUID(), position: 0, stamp: '' };
  if (!(await log.begin(at.epoch, await storeSnapshot(log, folder, at), 0))) return undefined;
  if (own) return own;
  await release();
  setPosition(folder, at);
  return at;
}

/** Whether the position of a copy is in the log; `unknown` where the entries after it are deleted. */
async function placeIn(
  log: CommandLog,
  head: CommandLogHead,
  { epoch, position, stamp }: SharedPosition,
): Promise<'followed' | 'unknown' | 'other'> {
  if (epoch !== head.epoch || position > head.position) return 'other';
  if (position === head.position) return stamp === head.stamp ? 'followed' : 'other';
  const [next] = (await log.read(position, 1)).entries;
  if (next?.position !== position + 1) return 'unknown';
  return next.follows === stamp ? 'followed' : 'other';
}

async function putAside(folder: string): Promise<void> {
  const aside = join(folder, PENDING + randomUUID());
  setPosition(folder, undefined);
  inOneFile(folder);
  await mkdir(aside, { mode: 0o700 });
  await rename(databaseFileIn(folder), databaseFileIn(aside));
  await dropDerived(folder);
}

/** Prepared so that it can be moved in one step. */
function inOneFile(folder: string): void {
  const database = openWritable(databaseFileIn(folder));
  try {
    database.pragma('journal_mode = DELETE');
  } finally {
    database.close();
  }
}
