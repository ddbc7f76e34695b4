import { sql } from '#kysely';
import { readRevision } from '../change-log.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';
import { namespaceKeyOf, rowKeyRange } from '../schema.ts';

/** The memories of a namespace, by row key, as far as undamaged pages of any table or index name them. */
export interface Census {
  /** Every known row key in ascending order, with its id; `undefined` where no page names it any more. */
  readonly ids: ReadonlyMap<number, string | undefined>;
  /** Row keys by id. */
  readonly keys: ReadonlyMap<string, number>;
  /** False where memories may exist that neither the table nor the index of ids names. */
  readonly isComplete: boolean;
}

/** Rows of a table whose keys are at least `from` and at most `last`, at most `limit`. */
export interface Stretch {
  from: number;
  last: number;
  limit: number;
}

const rowsOfTable = prepared(
  (p: Stretch) =>
    sql<{ pk: number; id: string }>`
      SELECT pk, id FROM memory NOT INDEXED WHERE pk >= ${p.from} AND pk <= ${p.last} ORDER BY pk LIMIT ${p.limit}`,
);
const keysOfBodies = prepared((p: Stretch) =>
  queries
    .selectFrom('memory_body')
    .select('pk')
    .where('pk', '>=', p.from)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(p.limit),
);
const idsUp = prepared(
  (p: { key: number }) =>
    sql<{ pk: number; id: string }>`
      SELECT pk, id FROM memory INDEXED BY memory_id WHERE namespace_key = ${p.key} ORDER BY id`,
);
const idsDown = prepared(
  (p: { key: number }) =>
    sql<{ pk: number; id: string }>`
      SELECT pk, id FROM memory INDEXED BY memory_id WHERE namespace_key = ${p.key} ORDER BY id DESC`,
);
const loggedIds = prepared(
  (p: { key: number }) =>
    sql<{ pk: number; id: string }>`SELECT pk, id FROM change_log WHERE namespace_key = ${p.key} AND pk > 0`,
);

/** Takes some microseconds a memory. */
export function censusOf(database: SqliteDatabase, namespaceKey: number): Census {
  const { first, last } = rowKeyRange(namespaceKey);
  const found = new Map<number, string | undefined>();
  const byIndex = readAll(() => idsUp(database).iterate({ key: namespaceKey }), found);
  // The other way, up to the damage.
  if (!byIndex) readAll(() => idsDown(database).iterate({ key: namespaceKey }), found);
  let highest = highestKey(database, first, last);
  for (const pk of found.keys()) highest = Math.max(highest, pk);
  const range = { first, last: highest };
  const bodies = new Damage();
  for (const { pk } of rowsAround((page) => keysOfBodies(database).all(page), range, keyOf, bodies)) {
    if (!found.has(pk)) found.set(pk, undefined);
  }
  const table = new Damage();
  for (const { pk, id } of rowsAround((page) => rowsOfTable(database).all(page), range, keyOf, table))
    found.set(pk, id);
  if ([...found.values()].includes(undefined)) nameByLog(database, namespaceKey, found);
  const ids = new Map([...found].sort(([a], [b]) => a - b));
  const keys = new Map([...ids].flatMap(([pk, id]) => (id === undefined ? [] : [[id, pk] as const])));
  return { ids, keys, isComplete: byIndex || !table.isFound };
}

function keyOf({ pk }: { readonly pk: number }): number {
  return pk;
}

/** Returns whether all were read. */
function readAll(
  rows: () => Iterable<{ readonly pk: number; readonly id: string }>,
  into: Map<number, string | undefined>,
): boolean {
  try {
    for (const { pk, id } of rows()) into.set(pk, id);
    return true;
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return false;
  }
}

function nameByLog(database: SqliteDatabase, key: number, found: Map<number, string | undefined>): void {
  try {
    for (const { pk, id } of loggedIds(database).iterate({ key })) {
      if (found.has(pk) && found.get(pk) === undefined) found.set(pk, id);
    }
  } catch (error) {
    if (!isPageDamage(error)) throw error;
  }
}

/** Sequences that are looked for above the next one in the row of the namespace, which may be some stores behind (`upkeep.ts`). */
const BEYOND = 64;

const nextSequence = prepared((p: { key: number }) =>
  queries.selectFrom('namespace').select('next_sequence').where('key', '=', p.key),
);

/** Row key above which there is nothing; the last possible one where the row of the namespace is lost. */
function highestKey(database: SqliteDatabase, first: number, last: number): number {
  try {
    const row = nextSequence(database).get({ key: namespaceKeyOf(first) });
    return row ? Math.min(last, first + row.next_sequence + BEYOND) : last;
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return last;
  }
}

/** Notes that rows were passed over. */
export class Damage {
  /** The first error. */
  cause: unknown;

  get isFound(): boolean {
    return this.cause !== undefined;
  }
}

const ROWS_AT_ONCE = 256;
/** Keys that are tried one after the other behind the last row that could be read; more than a page of pages refers to. */
const TRIED_MAX = 20_000;

/**
 * Rows of a table in the order of their keys. Where a page is damaged, each key behind the last row is tried, so that
 * only rows of that page are missing.
 */
export function* rowsAround<R>(
  read: (page: Stretch) => R[],
  { first, last }: { readonly first: number; readonly last: number },
  keyOfRow: (row: R) => number,
  damage: Damage,
): Generator<R> {
  let from = first;
  let limit = ROWS_AT_ONCE;
  let tried = 0;
  while (from <= last && tried < TRIED_MAX) {
    let rows: R[];
    try {
      rows = read({ from, last, limit });
    } catch (error) {
      if (!isPageDamage(error)) throw error;
      damage.cause ??= error;
      if (limit === 1) {
        from++;
        tried++;
      }
      limit = 1;
      continue;
    }
    yield* rows;
    const end = rows.at(-1);
    if (!end || (rows.length < limit && limit > 1)) return;
    from = keyOfRow(end) + 1;
    tried = 0;
    limit = limit === 1 ? 2 : Math.min(ROWS_AT_ONCE, limit * 2);
  }
}

interface Known {
  readonly revision: number;
  readonly census: Census;
}

const known = new WeakMap<SqliteDatabase, Map<number, Known>>();

/** The census at the newest revision; it is taken once for each revision. */
export function knownCensus(database: SqliteDatabase, namespaceKey: number): Census {
  const ofDatabase = known.get(database) ?? new Map<number, Known>();
  known.set(database, ofDatabase);
  const revision = revisionOf(database);
  const taken = ofDatabase.get(namespaceKey);
  if (taken && taken.revision === revision && revision >= 0) return taken.census;
  const census = censusOf(database, namespaceKey);
  ofDatabase.set(namespaceKey, { revision, census });
  return census;
}

/** Negative where the log cannot be read. */
function revisionOf(database: SqliteDatabase): number {
  try {
    return readRevision(database);
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return -1;
  }
}
