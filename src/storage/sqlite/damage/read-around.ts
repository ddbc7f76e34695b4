import { sql } from '#kysely';
import { memoryDamaged, storageDamaged } from '../../../memory/errors.ts';
import type { Memory, MemoryView, Micros } from '../../../memory/memory.ts';
import type { ListOrder, ListPage, ListPosition, ListRead } from '../../records.ts';
import { prepareOnce, type SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';
import { readWholeRow, rowByKey } from '../memory-rows.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { ORDERS, Page } from '../queries/list.ts';
import { type MemoryRow, memoryFromRow } from '../rows.ts';
import { rowKey, rowKeyRange, sequenceOf } from '../schema.ts';
import { Damage, knownCensus, rowsAround, type Stretch } from './census.ts';

/**
 * Reads by id where an index or another memory of the read is damaged: by row keys from any undamaged page. Fails with
 * CHECKSUM_MISMATCH for a memory that cannot be read, with NAMESPACE_NOT_FOUND.
 */
export function getAround(
  database: SqliteDatabase,
  { namespace, ids, view, nowUs }: { namespace: string; ids: readonly string[]; view: MemoryView; nowUs: Micros },
): (Memory | undefined)[] {
  const { key } = namespaceOf(database, namespace);
  const census = knownCensus(database, key);
  return ids.map((id) => {
    const pk = census.keys.get(id);
    if (pk === undefined && census.isComplete) return undefined;
    const row = pk === undefined ? undefined : rowOf(database, pk, view);
    if (!row) throw memoryDamaged(namespace, id);
    return isExpired(row, nowUs) ? undefined : memoryFromRow(namespace, row);
  });
}

/** `undefined` for a row that cannot be read. */
function rowOf(database: SqliteDatabase, pk: number, view: MemoryView): MemoryRow | undefined {
  try {
    return view === 'full' ? readWholeRow(database, pk) : rowByKey(database).get({ pk });
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return undefined;
  }
}

function isExpired({ expires_at_us }: { readonly expires_at_us: number | null }, nowUs: Micros): boolean {
  return expires_at_us !== null && expires_at_us <= nowUs;
}

/** Place of a memory in a list: by its value, or by none; behind all others where the value cannot be read. */
interface Placed {
  readonly pk: number;
  readonly value: number | null;
  readonly isLost: boolean;
}

/**
 * A page where pages of the file are damaged: without indexes, each memory read by its row key. Memories that cannot be
 * read are named; those whose place is not known either come last. Fails with CHECKSUM_MISMATCH where one has no name.
 */
export function listAround(database: SqliteDatabase, read: ListRead): ListPage {
  const { namespace, view, filter, nowUs, order, after } = read;
  const { key } = namespaceOf(database, namespace);
  const { ids } = knownCensus(database, key);
  const page = new Page(read);
  const rowView = view === 'metadata' && filter ? 'basic' : view;
  let last: ListPosition | undefined;
  for (const placed of inOrder(database, key, ids, order)) {
    if (after && !isBehind(placed, after, key, order)) continue;
    const row = placed.isLost ? undefined : rowOf(database, placed.pk, rowView);
    if (row && isExpired(row, nowUs)) continue;
    const isTaken = row ? page.take(row) : page.name(idOf(ids, placed.pk));
    if (!isTaken) return last ? { ...page.asLast(), next: last } : page.asLast();
    last = positionOf(placed);
  }
  return page.asLast();
}

function idOf(ids: ReadonlyMap<number, string | undefined>, pk: number): string {
  const id = ids.get(pk);
  if (id === undefined) throw storageDamaged('sqlite', new Error(`memory ${pk} has no name`));
  return id;
}

function inOrder(
  database: SqliteDatabase,
  namespaceKey: number,
  ids: ReadonlyMap<number, unknown>,
  order: ListOrder,
): Placed[] {
  const column = sql.ref(ORDERS[order].column);
  const values = new Map<number, number | null>();
  const read = (stretch: Stretch) =>
    prepareOnce(
      database,
      sql<{ pk: number; value: number | null }>`SELECT pk, ${column} AS value FROM memory NOT INDEXED
        WHERE pk >= ${stretch.from} AND pk <= ${stretch.last} ORDER BY pk LIMIT ${stretch.limit}`,
    ).all({});
  const last = Math.max(rowKeyRange(namespaceKey).first, ...[...ids.keys()].slice(-1));
  const range = { first: rowKeyRange(namespaceKey).first, last };
  for (const { pk, value } of rowsAround(read, range, ({ pk }) => pk, new Damage())) values.set(pk, value);
  const placed = [...ids.keys()].map((pk) => ({ pk, value: values.get(pk) ?? null, isLost: !values.has(pk) }));
  return placed.sort((a, b) => compare(a, b, order));
}

function compare(a: Placed, b: Placed, order: ListOrder): number {
  if (a.isLost || b.isLost) return Number(a.isLost) - Number(b.isLost) || a.pk - b.pk;
  if (a.value === null || b.value === null) {
    if (a.value !== b.value) return a.value === null ? 1 : -1;
    return directed(a.pk - b.pk, order);
  }
  return directed(a.value - b.value || a.pk - b.pk, order);
}

function directed(difference: number, order: ListOrder): number {
  return ORDERS[order].descending ? -difference : difference;
}

/** The position of a memory in a list. One without a known value is placed by its negative number. */
function positionOf({ pk, value, isLost }: Placed): ListPosition {
  const tie = sequenceOf(pk);
  return isLost ? { value: null, tie: -tie } : { value, tie };
}

function isBehind(placed: Placed, { value, tie }: ListPosition, namespaceKey: number, order: ListOrder): boolean {
  const pk = rowKey(namespaceKey, sequenceOf(Math.abs(tie)));
  return compare(placed, { pk, value, isLost: tie < 0 }, order) > 0;
}
