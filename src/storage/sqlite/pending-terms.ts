import type { SqliteDatabase } from './database.ts';

interface TermChange<T> {
  readonly pk: number;
  /** True when the index may have a row of this key from before. */
  readonly replaces: boolean;
  readonly terms: T | undefined;
}

/** How the rows of a full-text index are written. */
export interface TermIndex<T> {
  remove(database: SqliteDatabase, pk: number): void;
  insert(database: SqliteDatabase, pk: number, terms: T): void;
}

/**
 * Changes of a full-text index that wait for the end of the transaction: FTS5 writes all it has in memory to disk at
 * every savepoint that is set after its first change, and each command has a savepoint.
 */
export class PendingTerms<T> {
  private readonly database: SqliteDatabase;
  private readonly index: TermIndex<T>;
  private changes: TermChange<T>[] = [];

  constructor(database: SqliteDatabase, index: TermIndex<T>) {
    this.database = database;
    this.index = index;
  }

  add(pk: number, terms: T): void {
    this.changes.push({ pk, replaces: false, terms });
  }

  /** With `undefined` the memory has none any more. */
  replace(pk: number, terms: T | undefined): void {
    this.changes.push({ pk, replaces: true, terms });
  }

  get count(): number {
    return this.changes.length;
  }

  /** Takes back all but the first changes. */
  keepFirst(count: number): void {
    this.changes.length = count;
  }

  write(): void {
    const changes = new Map<number, TermChange<T>>();
    for (const change of this.changes) {
      const { replaces } = changes.get(change.pk) ?? change;
      changes.set(change.pk, { ...change, replaces });
    }
    this.changes = [];
    for (const { pk, replaces, terms } of changes.values()) {
      if (replaces) this.index.remove(this.database, pk);
      if (terms !== undefined) this.index.insert(this.database, pk, terms);
    }
  }
}
