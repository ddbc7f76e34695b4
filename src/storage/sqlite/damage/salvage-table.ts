import type { SqliteDatabase } from '../database.ts';
import { isPageDamage } from '../driver-error.ts';

type Row = Record<string, unknown>;

/** Keys that are tried one by one between the two ends of a table that can be read. */
const TRIED_MAX = 1_000_000;

/** Copies the rows of a table that can be read; returns false where some may be missing. */
export function salvageTable(from: SqliteDatabase, to: SqliteDatabase, table: string): boolean {
  const columns = columnsOf(to, table).filter((name) => columnsOf(from, table).includes(name));
  const names = columns.map((name) => `"${name}"`).join();
  const insert = to.prepare(`INSERT OR REPLACE INTO "${table}"(${names}) VALUES (${columns.map(() => '?').join()})`);
  const put = (row: Row): void => void insert.run(columns.map((name) => row[name]));
  const key = keyOf(to, table);
  const order = key.map((name) => `"${name}"`);
  const select = `SELECT ${names} FROM "${table}" NOT INDEXED ORDER BY`;
  const up = copyUntilDamage(from, `${select} ${order.join()}`, put);
  if (!up.isDamaged) return true;
  // The other way, up to the damage.
  const down = copyUntilDamage(from, `${select} ${order.map((name) => `${name} DESC`).join()}`, put);
  const [only] = key;
  if (key.length === 1 && only !== undefined)
    copyBetween(from, `SELECT ${names} FROM "${table}" WHERE "${only}" = ?`, {
      first: numberIn(up.last, only),
      last: numberIn(down.last, only),
      put,
    });
  return false;
}

function columnsOf(database: SqliteDatabase, table: string): string[] {
  return database
    .prepare<[], { name: string }>(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name);
}

/** Columns of the primary key, in its order. */
function keyOf(database: SqliteDatabase, table: string): string[] {
  const rows = database.prepare<[], { name: string }>(
    `SELECT name FROM pragma_table_info('${table}') WHERE pk > 0 ORDER BY pk`,
  );
  return rows.all().map(({ name }) => name);
}

function copyUntilDamage(
  from: SqliteDatabase,
  query: string,
  put: (row: Row) => void,
): { isDamaged: boolean; last: Row | undefined } {
  let last: Row | undefined;
  try {
    for (const row of from.prepare<[], Row>(query).iterate()) {
      put(row);
      last = row;
    }
    return { isDamaged: false, last };
  } catch (error) {
    if (!isPageDamage(error)) throw error;
    return { isDamaged: true, last };
  }
}

function numberIn(row: Row | undefined, column: string): number | undefined {
  const value = row?.[column];
  return typeof value === 'number' ? value : undefined;
}

function copyBetween(
  from: SqliteDatabase,
  query: string,
  { first = 0, last, put }: { first: number | undefined; last: number | undefined; put: (row: Row) => void },
): void {
  if (last === undefined) return;
  const statement = from.prepare<[number], Row>(query);
  for (let key = first + 1; key < last && key - first <= TRIED_MAX; key++) {
    try {
      const row = statement.get(key);
      if (row) put(row);
    } catch (error) {
      if (!isPageDamage(error)) throw error;
    }
  }
}
