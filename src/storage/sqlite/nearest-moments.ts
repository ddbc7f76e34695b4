import type { NearTime } from '../../memory/place.ts';
import type { SqliteDatabase } from './database.ts';
import { prepared, queries } from './prepared.ts';

interface Around {
  namespaceKey: number;
  origin: number;
  limit: number;
}

/** The index gives each side in the order of nearness. */
const sidesOf = (column: 'event_at_us' | 'step') => {
  const rows = (p: Around) =>
    queries
      .selectFrom('memory')
      .select(['pk', `${column} as value`])
      .where('namespace_key', '=', p.namespaceKey)
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
