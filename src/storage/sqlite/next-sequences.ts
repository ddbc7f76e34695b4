import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';

interface Taken {
  readonly key: number;
  readonly next_sequence: number;
}

const setNext = prepared((p: Taken) =>
  queries.updateTable('namespace').set({ next_sequence: p.next_sequence }).where('key', '=', p.key),
);

/** Sequences that namespaces give out next; written once a transaction, at its end. */
export class NextSequences {
  private readonly database: SqliteDatabase;
  private readonly taken: Taken[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  set(key: number, next_sequence: number): void {
    this.taken.push({ key, next_sequence });
  }

  /** Of this transaction; `undefined` where the row of the namespace tells it. */
  of(key: number): number | undefined {
    return this.taken.findLast((taken) => taken.key === key)?.next_sequence;
  }

  get count(): number {
    return this.taken.length;
  }

  /** Takes back all but the first changes. */
  keepFirst(count: number): void {
    this.taken.length = count;
  }

  write(): void {
    const newest = new Map(this.taken.map(({ key, next_sequence }) => [key, next_sequence]));
    this.taken.length = 0;
    for (const [key, next_sequence] of newest) setNext(this.database).run({ key, next_sequence });
  }
}
