import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Statement } from 'better-sqlite3';
import type { Verb } from './commands/command.ts';
import { PAGE_BYTES, type SqliteDatabase, WAITS_FOR_LOCKS_MS } from './database.ts';
import { DiskReserve } from './disk-reserve.ts';
import { DiskFull, isDiskFull } from './driver-error.ts';

/** Share of the database that is reserved, and its bounds: a deletion rewrites a part of the pages. */
const RESERVED_SHARE = 1 / 6;
const RESERVED_BYTES_MIN = 2 * 1_048_576;
const RESERVED_BYTES_MAX = 24 * 1_048_576;
const STEP_BYTES = 524_288;
/** Reserve above the need that is given back. */
const SURPLUS_BYTES_MAX = 64 * 1_048_576;
/** Time that a checkpoint waits for readers. */
const CHECKPOINT_WAIT_MS = 200;

/** Commands that free space, and those that reads of memories wait for. */
const FREEING: ReadonlySet<Verb> = new Set<Verb>([
  'delete',
  'deleteNamespace',
  'eraseLeftovers',
  'eraseSession',
  'eraseSessionsOfNamespace',
  'eraseExpiredSessions',
  'eraseLifecycleEvents',
  'eraseLifecycleOf',
  'dropSnapshot',
  'deleteSubscription',
  'forgetConsumers',
  'compactLog',
  'writeUpkeep',
  'settleSome',
]);

/** `reuse`: a transaction that finds its space in free pages of the database. */
type Loan = 'none' | 'reuse' | 'free';

/**
 * Keeps a reserve on the disk, so that a full disk can be freed by deletions. It is as large as the pages that the write-ahead
 * log adds to the database, which a checkpoint needs, and a share of the database for the log of a deletion. No other
 * transaction commits without it.
 */
export class DiskSpace {
  private readonly database: SqliteDatabase;
  private readonly reserve: DiskReserve;
  private readonly pageCount: Statement<[], number>;
  /** Pages of the database up to which the reserve is known to suffice. */
  private coveredPages = 0;
  private loan: Loan = 'none';
  private pagesBeforeLoan = 0;

  constructor(database: SqliteDatabase) {
    this.database = database;
    this.reserve = new DiskReserve(dirname(database.name));
    this.pageCount = database.prepare<[], number>('PRAGMA page_count').pluck();
  }

  /** To be called before each commit. Fails like a full disk. */
  beforeCommit(): void {
    if (this.loan === 'free') return;
    const pages = this.pages;
    if (this.loan === 'reuse') {
      if (pages > this.pagesBeforeLoan) throw new DiskFull();
      return;
    }
    if (pages <= this.coveredPages) return;
    if (!this.cover(pages)) throw new DiskFull();
  }

  /** Empties the write-ahead log into the database, and makes the reserve whole again as far as the disk has room. */
  relieve(): void {
    this.coveredPages = 0;
    if (!this.checkpoint()) {
      this.reserve.shrink(0);
      this.checkpoint();
    }
    const pages = this.pages;
    const need = this.need(pages);
    this.reserve.shrink(need);
    if (this.reserve.grow(need, true)) this.coveredPages = pages;
  }

  /** Runs a transaction with the reserve, as far as its command may use it; afterwards the reserve is made whole again. */
  lend<A>(verb: Verb, transaction: () => A): A {
    this.pagesBeforeLoan = this.pages;
    const isFreeing = FREEING.has(verb);
    this.loan = isFreeing ? 'free' : 'reuse';
    this.reserve.shrink(isFreeing ? 0 : this.need(this.pagesBeforeLoan) - reservedOf(this.pagesBeforeLoan) / 2);
    try {
      return transaction();
    } finally {
      this.loan = 'none';
      this.relieveIfPossible();
    }
  }

  /** The transaction is decided: the next commit without a reserve says what is wrong. */
  private relieveIfPossible(): void {
    try {
      this.relieve();
    } catch {
      this.coveredPages = 0;
    }
  }

  private get pages(): number {
    return this.pageCount.get() ?? 0;
  }

  private cover(pages: number): boolean {
    const need = this.need(pages);
    const isCovered = this.reserve.grow(Math.ceil(need / STEP_BYTES) * STEP_BYTES) || this.reserve.grow(need);
    if (isCovered) this.coveredPages = pages;
    if (this.reserve.bytes > need + SURPLUS_BYTES_MAX) this.reserve.shrink(need);
    return isCovered;
  }

  private need(pages: number): number {
    const fileBytes = statSync(this.database.name, { throwIfNoEntry: false })?.size ?? 0;
    return reservedOf(pages) + Math.max(0, pages * PAGE_BYTES - fileBytes);
  }

  /** False where the disk has no room for it. */
  private checkpoint(): boolean {
    try {
      this.database.pragma(`busy_timeout = ${CHECKPOINT_WAIT_MS}`);
      this.database.pragma('wal_checkpoint(TRUNCATE)');
      return true;
    } catch (error) {
      if (isDiskFull(error)) return false;
      throw error;
    } finally {
      this.database.pragma(`busy_timeout = ${WAITS_FOR_LOCKS_MS}`);
    }
  }
}

function reservedOf(pages: number): number {
  const share = Math.ceil(pages * RESERVED_SHARE) * PAGE_BYTES;
  return Math.min(RESERVED_BYTES_MAX, Math.max(RESERVED_BYTES_MIN, share));
}
