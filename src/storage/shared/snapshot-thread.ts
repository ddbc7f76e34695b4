import { parentPort, workerData } from 'node:worker_threads';
import { openReadOnly, openWritable } from '../sqlite/database.ts';
import { readSharedPosition, type SharedPosition, writeSharedPosition } from '../sqlite/shared-position.ts';

/** A database to be copied as it is at one moment. */
export interface CopyRequest {
  readonly folder: string;
  /** Of the copy; must not be there. */
  readonly file: string;
  /** The position that the copy is to have; absent: that of the database. */
  readonly at: SharedPosition | undefined;
}

function copy({ folder, file, at }: CopyRequest): SharedPosition {
  const database = openReadOnly(folder);
  database.prepare('VACUUM INTO ?').run(file);
  database.close();
  const copied = openWritable(file);
  try {
    if (at) writeSharedPosition(copied, at);
    const position = readSharedPosition(copied);
    if (!position) throw new Error('the database has no place in the shared log');
    // One file, without a log beside it.
    copied.pragma('journal_mode = DELETE');
    return position;
  } finally {
    copied.close();
  }
}

parentPort?.postMessage(copy(workerData as CopyRequest));
