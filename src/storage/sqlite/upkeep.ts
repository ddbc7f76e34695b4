import type { ChangeLog } from './change-log.ts';
import type { SqliteDatabase } from './database.ts';
import { settleMemoryRow } from './memory-rows.ts';
import { forgetWritten, readWritten, saveWritten, type WrittenTerms } from './written-terms.ts';

/** Changes in the order in which they were made. */
export interface Pending {
  readonly count: number;
  /** Reverts all but the first `count` changes. */
  keepFirst(count: number): void;
  /** Writes the first `count` changes; by default all. */
  write(count?: number): void;
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

  write(count = this.count): void {
    for (const pk of this.keys.splice(0, count)) settleMemoryRow(this.database).run({ pk });
  }
}

/** Changes of one part that a transaction may leave: more of them are as cheap each as in a batch. */
const CHANGES_MAX = 32;
/** Changes of one part from which on slices of them are written: fewer write the same pages more often. */
const SLICES_FROM = 96;
/** Changes of a full-text index that are written between two looks at the time; their commit costs as much again. */
const TERMS_AT_ONCE = 24;
/** Time after which a slice begins nothing more. */
const SLICE_MS = 0.4;

/**
 * `all`: everything is written before the commands run. `leave`: the commands only store memories, and their upkeep may be left. `slice`:
 * a part of what was left is written.
 */
export type UpkeepMode = 'all' | 'leave' | 'slice';

/** What the slices in progress write: the changes that transactions had left when the first of them began. */
interface Target {
  readonly revision: number;
  /** Changes of each part that are not written. */
  readonly left: number[];
}

/** Parts of the upkeep. Terms must not be written twice, so it is on record how many are. */
export interface UpkeepParts {
  readonly words: Pending;
  readonly values: Pending;
  /** Writing them again changes nothing. */
  readonly repeatable: readonly Pending[];
  /** Written together with the head of the log. */
  readonly last: readonly Pending[];
}

/**
 * What new memories change beside their own rows: most indexes, totals of tiers, next sequences, the head of the log. For one memory this is most of the cost of a transaction, so the transaction of a lone new memory leaves it to a
 * later one. Until then `meta.settled_revision` is behind, and the log has only entries of new memories after it, from
 * whose rows the upkeep is known again after a crash (`restore-upkeep.ts`). Readers of it wait for `writeUpkeep`.
 *
 * It is written in slices, each in the transaction of a store or in one of its own, so that no store waits for all.
 */
export class Upkeep {
  private readonly pending: readonly Pending[];
  private readonly firstOfLast: number;
  private readonly log: ChangeLog;
  private readonly database: SqliteDatabase;
  private readonly nowMs: () => number;
  /** Changes of each part that earlier transactions have left. */
  private left: readonly number[] = [];
  private mode: UpkeepMode = 'all';
  private target: Target | undefined;
  private isTargetReached = false;
  private hasWritten = false;
  /** Terms after the head that are written. */
  private written: WrittenTerms = { words: 0, values: 0 };

  constructor(database: SqliteDatabase, parts: UpkeepParts, log: ChangeLog, nowMs: () => number) {
    const { words, values, repeatable, last } = parts;
    this.database = database;
    this.pending = [words, values, ...repeatable, ...last];
    this.firstOfLast = this.pending.length - last.length;
    this.log = log;
    this.nowMs = nowMs;
    this.left = this.pending.map(() => 0);
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
    return this.mode === 'leave';
  }

  /** To be called at the beginning of a transaction. */
  begin(mode: UpkeepMode): void {
    this.mode = mode;
    if (mode === 'all') this.writeAll();
  }

  /** To be called at the end of a transaction, before it is committed. */
  finish(): void {
    if (this.mode === 'leave' && !this.mayLeave) this.mode = 'all';
    if (this.mode === 'all') this.writeAll();
    else if (this.mode === 'slice' || this.target || this.left.some((count) => count >= SLICES_FROM)) this.writeSlice();
  }

  private get mayLeave(): boolean {
    return this.log.isOfNewMemories && this.counts.every((count, at) => count - (this.left[at] ?? 0) < CHANGES_MAX);
  }

  private writeAll(): void {
    this.hasWritten = true;
    for (const pending of this.pending) pending.write();
  }

  private writeSlice(): void {
    this.hasWritten = true;
    this.target ??= { revision: this.log.savedRevision, left: [...this.left] };
    const { left } = this.target;
    const untilMs = this.nowMs() + SLICE_MS;
    for (const [at, pending] of this.pending.entries()) {
      for (let rest = left[at] ?? 0; rest > 0; rest = left[at] ?? 0) {
        const count = at < 2 ? Math.min(rest, TERMS_AT_ONCE) : rest;
        pending.write(count);
        left[at] = rest - count;
        if (at === 0) this.written.words += count;
        if (at === 1) this.written.values += count;
        if (at < this.firstOfLast && this.nowMs() >= untilMs) return;
      }
    }
    this.isTargetReached = true;
  }

  /** To be called after `finish`, also before the commit. */
  finishLog(): void {
    if (this.mode === 'all') {
      this.log.save();
      this.forgetWritten();
    } else if (this.target && this.isTargetReached) {
      this.log.saveUpTo(this.target.revision);
      this.forgetWritten();
    } else {
      if (this.hasWritten) saveWritten(this.database, this.written);
      this.log.saveLater();
    }
  }

  private forgetWritten(): void {
    if (this.written.words + this.written.values === 0) return;
    forgetWritten(this.database);
    this.written = { words: 0, values: 0 };
  }

  committed(): void {
    this.left = this.counts;
    if (this.mode === 'all' || this.isTargetReached) this.target = undefined;
    this.begun();
  }

  /** To be called when a transaction was undone. False: the upkeep that earlier ones have left is to be restored. */
  undone(): boolean {
    const isKnown = !this.hasWritten;
    if (!isKnown) {
      this.left = this.pending.map(() => 0);
      this.target = undefined;
    }
    this.begun();
    this.keepFirst(this.left);
    return isKnown;
  }

  private begun(): void {
    this.isTargetReached = false;
    this.hasWritten = false;
  }

  /** Terms after the head of the log that are written already, for a restoring. */
  readWritten(): WrittenTerms {
    this.written = readWritten(this.database);
    return { ...this.written };
  }

  /** To be called when `pending` has the upkeep that earlier transactions have left. */
  restored(): void {
    this.left = this.counts;
  }
}
