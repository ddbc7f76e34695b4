import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { MnemeError } from '../../memory/errors.ts';

export const LOCK_FILE = 'mneme.lock';

/**
 * The files of an open data folder. SQLite goes on writing to files that were removed or moved away, and what it writes is
 * lost when the process ends: a write is acknowledged only while the files are in their place.
 */
export class LinkedFiles {
  private readonly files: readonly string[];
  private readonly logFile: string;
  private readonly opened: readonly (Stats | undefined)[];
  /** SQLite creates the write-ahead log with the first transaction, and keeps it while a connection is open. */
  private log: Stats | undefined;

  constructor(databaseFile: string) {
    this.files = [databaseFile, join(dirname(databaseFile), LOCK_FILE)];
    this.logFile = `${databaseFile}-wal`;
    this.opened = this.files.map(statOf);
    this.log = statOf(this.logFile);
  }

  /** Fails where the database, its write-ahead log or the lock of the folder is another file than the open one. */
  check(): void {
    const log = statOf(this.logFile);
    this.log ??= log;
    const isLogKept = log !== undefined && isSame(log, this.log);
    const lost = this.files.find((file, at) => !isSame(statOf(file), this.opened[at]));
    if (lost === undefined && isLogKept) return;
    const message = `${lost ?? this.logFile} was removed or moved while the server runs: nothing more is stored; put it back, or stop the server`;
    throw new MnemeError('STORAGE_UNAVAILABLE', message, { metadata: { backend: 'sqlite' } });
  }
}

/** Absent: the file is not there, or cannot be reached. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A file that was absent at the opening, such as the lock in a test of one part, may be absent. */
function isSame(now: Stats | undefined, opened: Stats | undefined): boolean {
  return now?.ino === opened?.ino && now?.dev === opened?.dev;
}
