import { MnemeError } from '../../memory/errors.ts';

const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY)/;
const OF_ONE_STATEMENT = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR)/;

/** The name of an error in SQLite, such as `SQLITE_BUSY`; `undefined` for errors from elsewhere. */
export function sqliteCode(error: unknown): string | undefined {
  // Not by class: the driver has one class for the whole process, from the first thread that loaded it.
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code.startsWith('SQLITE_') ? error.code : undefined;
}

/** Translates an error of SQLite into an error for callers; errors that show a defect are returned unchanged. */
export function translated(error: unknown): unknown {
  const code = sqliteCode(error);
  if (code === 'SQLITE_FULL') {
    const message = 'the disk is full: writes fail until space is freed, reads continue';
    return new MnemeError('STORAGE_FULL', message, { cause: error });
  }
  if (!code || !UNAVAILABLE.test(code)) return error;
  return new MnemeError('STORAGE_UNAVAILABLE', `the store does not answer (${code})`, {
    metadata: { backend: 'sqlite' },
    cause: error,
  });
}

/** Whether the transaction around the failed command is still usable. */
export function isStatementError(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === undefined || OF_ONE_STATEMENT.test(code);
}

/** Why a data folder cannot be used, in one line that says what to do. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}
