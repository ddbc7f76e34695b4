import { sql } from '#kysely';
import { type NearTime, PLACE_NAMES, type PlaceNames } from '../../memory/place.ts';
import { prepared, prepareOnce, queries, type SqliteDatabase } from './database.ts';
import { isSettled } from './rows.ts';

interface Around {
  namespaceKey: number;
  origin: number;
  limit: number;
}

/** The index gives each side in the order of distance. */
const sidesOf = (column: 'event_at_us' | 'step') => {
  const rows = (p: Around) =>
    queries
      .selectFrom('memory')
      .select(['pk', `${column} as value`])
      .where('namespace_key', '=', p.namespaceKey)
      .where(isSettled)
      .limit(p.limit);
  return {
    before: prepared((p: Around) => rows(p).where(column, '<', p.origin).orderBy(column, 'desc')),
    after: prepared((p: Around) => rows(p).where(column, '>=', p.origin).orderBy(column)),
  };
};
const byTime = sidesOf('event_at_us');
const byStep = sidesOf('step');

/** Row keys of the memories nearest to an instant or a step, nearest first, at most `limit`. */
export function nearestMoments(
  database: SqliteDatabase,
  namespaceKey: number,
  near: NearTime,
  limit: number,
): number[] {
  const sides = near.kind === 'time' ? byTime : byStep;
  const origin = near.kind === 'time' ? near.atUs : near.step;
  const around = { namespaceKey, origin, limit };
  const rows = [...sides.before(database).all(around), ...sides.after(database).all(around)];
  return rows
    .map(({ pk, value }) => ({ pk, distance: Math.abs((value ?? 0) - origin) }))
    .sort((a, b) => a.distance - b.distance || a.pk - b.pk)
    .slice(0, limit)
    .map(({ pk }) => pk);
}

type Part = (typeof PLACE_NAMES)[number];

/**
 * Row keys of the memories whose places have most of the names, at most `limit`; equal numbers in the order newest
 * first. Each set of names is searched by the index of one of them, the largest sets first.
 */
export function nearestNames(
  database: SqliteDatabase,
  namespaceKey: number,
  names: PlaceNames,
  limit: number,
): number[] {
  const provided = PLACE_NAMES.filter((part) => names[part] !== '');
  const found = new Set<number>();
  for (let size = provided.length; size > 0 && found.size < limit; size--) {
    const keys = new Set<number>();
    for (const parts of setsOf(provided, size)) {
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

/** All subsets of this size. */
function setsOf(parts: readonly Part[], size: number): Part[][] {
  if (size === 0) return [[]];
  return parts.flatMap((part, at) => setsOf(parts.slice(at + 1), size - 1).map((rest) => [part, ...rest]));
}
