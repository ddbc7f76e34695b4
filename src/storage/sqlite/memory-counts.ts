import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';

const countRows = prepared((p: { namespace_key: number }) =>
  queries
    .selectFrom('memory')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('namespace_key', '=', p.namespace_key),
);

/** Numbers of memories of the namespaces that have a limit: counting them for each write would take too long. */
export class MemoryCounts {
  private readonly database: SqliteDatabase;
  private readonly counts = new Map<number, number>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  of(namespaceKey: number): number {
    const known = this.counts.get(namespaceKey);
    if (known !== undefined) return known;
    const count = countRows(this.database).get({ namespace_key: namespaceKey })?.count ?? 0;
    this.counts.set(namespaceKey, count);
    return count;
  }

  add(namespaceKey: number, difference: number): void {
    const known = this.counts.get(namespaceKey);
    if (known !== undefined) this.counts.set(namespaceKey, known + difference);
  }

  clear(): void {
    this.counts.clear();
  }
}
