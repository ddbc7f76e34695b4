import type { SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';
import { namespaceKeyOf } from '../schema.ts';
import { type Census, Damage, knownCensus, rowsAround, type Stretch } from './census.ts';

/** Reads of recall past damaged pages, and the namespaces that miss memories because of them. */
export class RecallDamage {
  private readonly database: SqliteDatabase;
  private readonly onDamage: (error: unknown) => void;
  private readonly namespaces = new Set<number>();
  /** A damaged memory of each namespace that may miss it. */
  private readonly missing = new Map<number, number>();

  /** `onDamage`: called at the first damaged page or memory of each namespace. */
  constructor(database: SqliteDatabase, onDamage: (error: unknown) => void) {
    this.database = database;
    this.onDamage = onDamage;
  }

  isIn(namespaceKey: number): boolean {
    return this.namespaces.has(namespaceKey);
  }

  /** A memory may be missing, since a filter cannot decide on damaged bytes; `error` names it. */
  missIn(namespaceKey: number, pk: number, error: unknown): void {
    if (this.missing.has(namespaceKey)) return;
    this.missing.set(namespaceKey, pk);
    this.onDamage(error);
  }

  /** Whether memories are missing, as long as `isDamaged` says so of the one that was met. */
  misses(namespaceKey: number, isDamaged: (pk: number) => boolean): boolean {
    const pk = this.missing.get(namespaceKey);
    if (pk !== undefined && !isDamaged(pk)) this.missing.delete(namespaceKey);
    return this.missing.has(namespaceKey) || this.isIn(namespaceKey);
  }

  /** A read about one memory; `undefined` where its page is damaged. */
  unless<A>(pk: number, read: () => A): A | undefined {
    try {
      return read();
    } catch (error) {
      this.note(namespaceKeyOf(pk), error);
      return undefined;
    }
  }

  /** The first `limit` rows that can be read. */
  firstOf<R>(namespaceKey: number, read: (page: Stretch) => R[], stretch: Stretch, keyOf: (row: R) => number): R[] {
    try {
      return read(stretch);
    } catch (error) {
      this.note(namespaceKey, error);
    }
    const rows: R[] = [];
    for (const row of this.around(namespaceKey, read, stretch.from, keyOf)) {
      if (rows.push(row) === stretch.limit) break;
    }
    return rows;
  }

  /** The rows from a key on that can be read; keys of the other space of vectors are negative. */
  *around<R>(
    namespaceKey: number,
    read: (page: Stretch) => R[],
    from: number,
    keyOf: (row: R) => number,
  ): Generator<R> {
    const keys = [...this.census(namespaceKey).ids.keys()];
    const [first = 0, last = 0] = [keys[0], keys.at(-1)];
    const range = from < 0 ? { first: Math.max(from, -last), last: -first } : { first: Math.max(from, first), last };
    const damage = new Damage();
    yield* rowsAround(read, range, keyOf, damage);
    if (damage.isFound) this.note(namespaceKey, damage.cause);
  }

  keyOf(namespaceKey: number, id: string): number | undefined {
    return this.isIn(namespaceKey) ? this.census(namespaceKey).keys.get(id) : undefined;
  }

  /** Empty where no page names it any more. */
  idOf(pk: number): string {
    const namespaceKey = namespaceKeyOf(pk);
    return this.isIn(namespaceKey) ? (this.census(namespaceKey).ids.get(pk) ?? '') : '';
  }

  private census(namespaceKey: number): Census {
    return knownCensus(this.database, namespaceKey);
  }

  /** Throws other errors again. */
  private note(namespaceKey: number, error: unknown): void {
    if (!isPageDamage(error)) throw error;
    if (this.namespaces.has(namespaceKey)) return;
    this.namespaces.add(namespaceKey);
    this.onDamage(error);
  }
}
