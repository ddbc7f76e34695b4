import type { Statement } from 'better-sqlite3';
import { openReadOnly, type SqliteDatabase } from './database.ts';

/**
 * A read-only connection whose reads of one turn of the event loop share a transaction: taking and giving up the locks of
 * one is half of what a read by name costs. `renew` is to be called whenever this thread learns of a commit, whoever tells
 * it: what is read afterwards has that commit.
 */
export class SharedReader {
  private readonly database: SqliteDatabase;
  private readonly begin: Statement;
  private readonly commit: Statement;
  private isBegun = false;
  private isOpen = true;
  private isEndScheduled = false;

  constructor(folder: string) {
    this.database = openReadOnly(folder);
    this.begin = this.database.prepare('BEGIN');
    this.commit = this.database.prepare('COMMIT');
  }

  /** False once it is closed. */
  get isReadable(): boolean {
    return this.isOpen;
  }

  read<A>(query: (database: SqliteDatabase) => A): A {
    if (!this.isBegun) this.start();
    return query(this.database);
  }

  /** Lets the next read see everything that is committed by then. */
  renew(): void {
    if (!this.isBegun) return;
    this.isBegun = false;
    // Some errors of the disk have ended it already.
    if (this.database.inTransaction) this.commit.run();
  }

  close(): void {
    this.renew();
    this.isOpen = false;
    this.database.close();
  }

  private start(): void {
    this.begin.run();
    this.isBegun = true;
    if (this.isEndScheduled) return;
    this.isEndScheduled = true;
    setImmediate(() => {
      this.isEndScheduled = false;
      this.renew();
    });
  }
}
