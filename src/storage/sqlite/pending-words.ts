import { sql } from 'kysely';
import type { SqliteDatabase } from './database.ts';
import { prepared } from './prepared.ts';

/** What the full-text index takes in of a memory; see `word-terms.ts`. */
export interface Words {
  readonly body: string;
  readonly meta: string;
}

interface WordChange {
  readonly pk: number;
  /** True when the index has a row of this key from before. */
  readonly replaces: boolean;
  readonly words: Words | undefined;
}

const remove = prepared((p: { pk: number }) => sql`DELETE FROM memory_words WHERE rowid = ${p.pk}`);
const insert = prepared(
  (p: Words & { pk: number }) =>
    sql`INSERT INTO memory_words(rowid, body, meta) VALUES (CAST(${p.pk} AS INTEGER), ${p.body}, ${p.meta})`,
);

/**
 * Changes of the full-text index that wait for the end of the transaction: FTS5 writes all it has in memory to disk at
 * every savepoint that is set after its first change, and each command has a savepoint.
 */
export class PendingWords {
  private readonly database: SqliteDatabase;
  private changes: WordChange[] = [];

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  add(pk: number, words: Words): void {
    this.changes.push({ pk, replaces: false, words });
  }

  replace(pk: number, words: Words): void {
    this.changes.push({ pk, replaces: true, words });
  }

  remove(pk: number): void {
    this.changes.push({ pk, replaces: true, words: undefined });
  }

  get count(): number {
    return this.changes.length;
  }

  /** Takes back all but the first changes. */
  keepFirst(count: number): void {
    this.changes.length = count;
  }

  write(): void {
    const changes = new Map<number, WordChange>();
    for (const change of this.changes) {
      const { replaces } = changes.get(change.pk) ?? change;
      changes.set(change.pk, { ...change, replaces });
    }
    this.changes = [];
    for (const { pk, replaces, words } of changes.values()) {
      if (replaces) remove(this.database).run({ pk });
      if (words) insert(this.database).run({ pk, body: words.body, meta: words.meta });
    }
  }
}
