import type { Statement } from 'better-sqlite3';
import type { SqliteDatabase } from './database.ts';
import { isPageDamage } from './driver-error.ts';

/** Ends a transaction that has only read. Some errors of the disk have already ended it. */
export function endRead(database: SqliteDatabase, commit: Statement = database.prepare('COMMIT')): void {
  if (!database.inTransaction) return;
  try {
    commit.run();
  } catch (error) {
    // A damaged page makes even this fail; the transaction has changed nothing.
    if (!isPageDamage(error)) throw error;
    if (database.inTransaction) database.exec('ROLLBACK');
  }
}
