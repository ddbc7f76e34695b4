import type { ChangeLog } from './change-log.ts';
import type { SqliteDatabase } from './database.ts';
import { settleMemoryRow } from './memory-rows.ts';

/** Changes in the order in which they were made. */
export interface Pending {
  readonly count: number;
  /** Reverts all but the first `count` changes. */
  keepFirst(count: number): void;
  write(): void;
}

/** Rows of new memories that are not in all indexes (`isSettled` in `rows.ts`). */
export class UnsettledRows implements Pending {
  private readonly database: SqliteDatabase;
  private readonly keys: number[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  add(pk: number): void {
    this.keys.push(pk);
  }

  get count(): number {
    return this.keys.length;
  }

  keepFirst(count: number): void {
    this.keys.length = count;
  }

  write(): void {
    for (const pk of this.keys) settleMemoryRow(this.database).run({ pk });
    this.keys.length = 0;
  }
}

/** Changes of one part that may wait: more of them are as cheap each as in a batch. */
const CHANGES_MAX = 32;

/**
 * What new memories change beside their own rows: most indexes, totals of tiers, next sequences, the head of the log. For one memory this is most of the cost of a transaction, so the transaction of a lone new memory leaves it to a
 * later one. Until then `meta.settled_revision` is behind, and the log has only entries of new memories after it, from
 * whose rows the upkeep is known again after a crash (`restore-upkeep.ts`). Readers of it wait for `writeUpkeep`.
 */
export class Upkeep {
  private readonly pending: readonly Pending[];
  private readonly log: ChangeLog;
  /** Changes of each part that earlier transactions have left. */
  private left: readonly number[] = [];
  private isWritten = false;
  private isLeaving = false;

  constructor(pending: readonly Pending[], log: ChangeLog) {
    this.pending = pending;
    this.log = log;
    this.left = pending.map(() => 0);
  }

  /** True while transactions have left upkeep. */
  get isBehind(): boolean {
    return this.left.some((count) => count > 0);
  }

  /** Counts that `keepFirst` returns to. */
  get counts(): readonly number[] {
    return this.pending.map(({ count }) => count);
  }

  /** Reverts later changes of the transaction. */
  keepFirst(counts: readonly number[]): void {
    for (const [at, pending] of this.pending.entries()) pending.keepFirst(counts[at] ?? 0);
  }

  /** Whether the transaction may leave the upkeep of its new memories. */
  get mayWait(): boolean {
    return this.isLeaving;
  }

  /**
   * To be called at the beginning of a transaction. `mayWait`: its commands only store memories. Other commands find
   * all memories in the indexes.
   */
  begin(mayWait: boolean): void {
    this.isLeaving = mayWait;
    this.isWritten = !mayWait;
    if (this.isWritten) this.write();
  }

  /** To be called at the end of a transaction, before it is committed. */
  finish(): void {
    this.isWritten ||= !(this.log.isOfNewMemories && this.pending.every(({ count }) => count < CHANGES_MAX));
    if (this.isWritten) this.write();
  }

  private write(): void {
    for (const pending of this.pending) pending.write();
  }

  /** To be called after `finish`, also before the commit. */
  finishLog(): void {
    if (this.isWritten) this.log.save();
    else this.log.saveLater();
  }

  committed(): void {
    this.left = this.counts;
    this.isWritten = false;
  }

  /** To be called when a transaction was undone. False: the upkeep that earlier ones have left is to be restored. */
  undone(): boolean {
    const isKnown = !this.isWritten;
    if (!isKnown) this.left = this.pending.map(() => 0);
    this.isWritten = false;
    this.keepFirst(this.left);
    return isKnown;
  }

  /** To be called when `pending` has the upkeep that earlier transactions have left. */
  restored(): void {
    this.left = this.counts;
  }
}
