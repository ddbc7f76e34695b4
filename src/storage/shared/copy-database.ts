import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { SharedPosition } from '../shared-position.ts';
import { databaseFileIn, openReadOnly, openWritable } from '../sqlite/database.ts';
import { readSharedPosition, writeSharedPosition } from '../sqlite/shared-position.ts';

/** A database to be copied in its state at one instant. */
export interface CopyRequest {
  readonly folder: string;
  /** Path of the copy; must not exist. */
  readonly file: string;
  /** The position of the copy; absent: that of the database. */
  readonly at: SharedPosition | undefined;
}

/** A database up to this size is copied faster than a thread starts. */
const SMALL_BYTES = 4 << 20;

/** Returns the position of the copy. */
export async function copyDatabase(request: CopyRequest): Promise<SharedPosition> {
  if (statSync(databaseFileIn(request.folder)).size <= SMALL_BYTES) return copyNow(request);
  const worker = new Worker(new URL('./snapshot-thread.ts', import.meta.url), {
    workerData: request,
    name: 'snapshot',
  });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the thread that copies the database has ended')));
  });
}

export function copyNow({ folder, file, at }: CopyRequest): SharedPosition {
  const database = openReadOnly(folder);
  database.prepare('VACUUM INTO ?').run(file);
  database.close();
  const copied = openWritable(file);
  try {
    if (at) writeSharedPosition(copied, at);
    const position = readSharedPosition(copied);
    if (!position) throw new Error('the database has no place in the shared log');
    // One file, without a write-ahead log.
    copied.pragma('journal_mode = DELETE');
    return position;
  } finally {
    copied.close();
  }
}
