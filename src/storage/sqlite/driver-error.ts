import { MnemeError, storageDamaged } from '../../memory/errors.ts';

/** The index of the write-ahead log is in a file that grows, too. */
const FULL: ReadonlySet<string | undefined> = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE']);
const UNAVAILABLE = /^SQLITE_(BUSY|LOCKED|IOERR|CANTOPEN|READONLY)/;
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;
/** Other pages may be whole: a statement that does not reach a damaged one succeeds. */
const OF_ONE_STATEMENT = /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|RANGE|ERROR|CORRUPT)/;

/** The name of an error in SQLite, such as `SQLITE_BUSY`; `undefined` for errors from elsewhere. */
export function sqliteCode(error: unknown): string | undefined {
  // Not by class: the driver has one class for the whole process, from the first thread that loaded it.
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return error.code.startsWith('SQLITE_') ? error.code : undefined;
}

/** Whether a statement has reached a page that is not as SQLite has written it. */
export function isPageDamage(error: unknown): boolean {
  return DAMAGED.test(sqliteCode(error) ?? '');
}

/** Whether SQLite could not use the file: a lock, a permission or the disk. */
export function isFileUnavailable(error: unknown): boolean {
  return UNAVAILABLE.test(sqliteCode(error) ?? '');
}

/** Translates an error of SQLite into an error for callers; errors that show a defect are returned unchanged. */
export function translated(error: unknown): unknown {
  const code = sqliteCode(error);
  if (isDiskFull(error)) {
    const message = 'the disk is full: delete memories or free space on it; deletions and reads continue';
    return new MnemeError('STORAGE_FULL', message, { cause: error });
  }
  if (code && DAMAGED.test(code)) return storageDamaged('sqlite', error);
  if (!isFileUnavailable(error)) return error;
  return new MnemeError('STORAGE_UNAVAILABLE', `the store does not answer (${code})`, {
    metadata: { backend: 'sqlite' },
    cause: error,
  });
}

export function isDiskFull(error: unknown): boolean {
  return FULL.has(sqliteCode(error));
}

/** Thrown where a transaction would use space that is reserved. */
export class DiskFull extends Error {
  readonly code = 'SQLITE_FULL';

  constructor() {
    super('the rest of the disk is reserved for deletions');
  }
}

/** Whether the transaction around the failed command is still usable. */
export function isStatementError(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === undefined || OF_ONE_STATEMENT.test(code);
}

/** For a folder without whose damaged pages nothing can be read or written safely. */
export function damagedFolder(folder: string, cause: unknown): FolderError {
  const message = `data folder ${folder} is damaged where the server needs it to start: run "mneme repair --data ${folder}"`;
  return new FolderError(message, { cause });
}

/** Why a data folder cannot be used, in one line that says what to do. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}
