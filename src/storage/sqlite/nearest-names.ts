import { sql } from '#kysely';
import { PLACE_NAMES, type PlaceNames } from '../../memory/place.ts';
import type { SqliteDatabase } from './database.ts';
import { prepareOnce, queries } from './prepared.ts';

type Part = (typeof PLACE_NAMES)[number];

/**
 * Row keys of the memories whose places have most of the names given, at most `limit`; of equally many the newest first.
 * Each set of names is looked up by the index of one of them, the largest sets first.
 */
export function nearestNames(
  database: SqliteDatabase,
  namespaceKey: number,
  names: PlaceNames,
  limit: number,
): number[] {
  const given = PLACE_NAMES.filter((part) => names[part] !== '');
  const found = new Set<number>();
  for (let size = given.length; size > 0 && found.size < limit; size--) {
    const keys = new Set<number>();
    for (const parts of setsOf(given, size)) {
      for (const { pk } of having(database, namespaceKey, names, parts, limit)) if (!found.has(pk)) keys.add(pk);
    }
    for (const key of [...keys].sort((a, b) => b - a)) found.add(key);
  }
  return [...found].slice(0, limit);
}

function having(
  database: SqliteDatabase,
  namespaceKey: number,
  names: PlaceNames,
  parts: readonly Part[],
  limit: number,
): { pk: number }[] {
  let rows = queries.selectFrom('memory').select('pk').where('namespace_key', '=', namespaceKey);
  // The index leaves out memories without the name.
  for (const part of parts) rows = rows.where(part, '=', names[part]).where(part, '<>', sql<string>`''`);
  return prepareOnce<{ pk: number }>(database, rows.orderBy('pk', 'desc').limit(limit)).all({});
}

/** The sets of so many of the parts. */
function setsOf(parts: readonly Part[], size: number): Part[][] {
  if (size === 0) return [[]];
  return parts.flatMap((part, at) => setsOf(parts.slice(at + 1), size - 1).map((rest) => [part, ...rest]));
}
