import Database from 'better-sqlite3';
import { MnemeError } from '../../memory/errors.ts';

const UNAVAILABLE = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_IOERR', 'SQLITE_CANTOPEN', 'SQLITE_READONLY'];

/** What an error of SQLite means to callers; errors that tell of a defect come back as they are. */
export function translated(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code === 'SQLITE_FULL') {
    const message = 'the disk is full: nothing can be stored until there is room, what is stored can be read';
    return new MnemeError('STORAGE_FULL', message, { cause: error });
  }
  if (!UNAVAILABLE.some((code) => error.code.startsWith(code))) return error;
  return new MnemeError('STORAGE_UNAVAILABLE', `the store does not answer (${error.code})`, {
    metadata: { backend: 'sqlite' },
    cause: error,
  });
}

/** Whether an error of SQLite is about the one statement and leaves the transaction around it usable. */
export function isStatementError(error: unknown): boolean {
  if (!(error instanceof Database.SqliteError)) return true;
  return /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR)/.test(error.code);
}
