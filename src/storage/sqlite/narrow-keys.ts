import { sql } from '#kysely';
import type { Filter } from '../../memory/filter.ts';
import type { SqliteDatabase } from './database.ts';
import { narrowFilter } from './narrow-filter.ts';
import { prepareOnce } from './prepared.ts';

/** Row keys that the filter may admit, or `undefined` when there are more than `limit` or nothing is narrowed. */
export function narrowKeys(
  database: SqliteDatabase,
  namespaceKey: number,
  filter: Filter,
  limit: number,
): number[] | undefined {
  const { may } = narrowFilter(filter, namespaceKey);
  if (!may) return undefined;
  const query = sql<{ pk: number }>`
    SELECT memory.pk FROM memory WHERE memory.namespace_key = ${namespaceKey} AND ${may} LIMIT ${limit + 1}`;
  const rows = prepareOnce(database, query).all({});
  return rows.length > limit ? undefined : rows.map(({ pk }) => pk);
}
