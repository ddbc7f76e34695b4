import { sql } from '#kysely';
import { type Area, EARTH_RADIUS_M } from '../../memory/filter.ts';
import { distanceM, type NearPoint, straightDistance } from '../../memory/place.ts';
import { prepared, prepareOnce, queries, type SqliteDatabase } from './database.ts';
import { narrowArea } from './narrowing.ts';

interface Located {
  readonly pk: number;
  readonly first: number | null;
  readonly second: number | null;
  readonly third: number | null;
}

interface Found {
  readonly pk: number;
  readonly distance: number;
}

interface Around {
  namespaceKey: number;
  origin: number;
  limit: number;
}

/** Half of the earth's circumference. */
const FARTHEST_M = Math.PI * EARTH_RADIUS_M;
/** Ratio of the first circle to its bound, where the nearest memories in one coordinate give no estimate. */
const START_SHARE = 1 / 1024;
const GROWTH_MIN = 1.2;
const GROWTH_MAX = 8;

const columnsOf = (kind: NearPoint['kind']) =>
  kind === 'point'
    ? (['x as first', 'y as second', 'z as third'] as const)
    : (['latitude as first', 'longitude as second', 'z as third'] as const);
const sidesOf = (kind: NearPoint['kind']) => {
  const column = kind === 'point' ? 'x' : 'latitude';
  const rows = (p: Around) =>
    queries
      .selectFrom('memory')
      .select('pk')
      .select(columnsOf(kind))
      .where('namespace_key', '=', p.namespaceKey)
      .limit(p.limit);
  return {
    below: prepared((p: Around) => rows(p).where(column, '<', p.origin).orderBy(column, 'desc')),
    above: prepared((p: Around) => rows(p).where(column, '>=', p.origin).orderBy(column)),
  };
};
const SIDES = { point: sidesOf('point'), geo: sidesOf('geo') };

/**
 * Row keys of the memories nearest to a point, nearest first, at most `limit`. Searches the index of coordinates in
 * boxes around growing circles until one holds enough: the cost depends on the number of near memories, not of all
 * memories.
 */
export function nearestPlaces(
  database: SqliteDatabase,
  namespaceKey: number,
  near: NearPoint,
  limit: number,
): number[] {
  const origin = near.kind === 'point' ? near.point.x : near.geo.latitudeDeg;
  const around = { namespaceKey, origin, limit };
  const sides = SIDES[near.kind];
  const below = sides.below(database).all(around);
  const above = sides.above(database).all(around);
  const probe = measured([...below, ...above], near);
  // A side with fewer rows than its limit is complete.
  if (below.length < limit && above.length < limit) return keysOf(probe, limit);
  const farthest = probe[Math.min(limit, probe.length) - 1]?.distance ?? 0;
  let radius = Math.max(stripOf(below, above, near, origin), farthest * START_SHARE);
  for (;;) {
    radius = Math.min(radius, farthest);
    const found = measured(locatedWithin(database, namespaceKey, near, radius), near);
    const inside = found.filter(({ distance }) => distance <= radius);
    if (inside.length >= limit || radius >= farthest) return keysOf(inside, limit);
    radius *= growth(inside.length, limit);
  }
}

/** Growth of a circle that holds enough memories, if their density around it equals that within it. */
function growth(found: number, wanted: number): number {
  return Math.min(GROWTH_MAX, Math.max(GROWTH_MIN, 1.1 * Math.sqrt(wanted / Math.max(1, found))));
}

/**
 * Distance, in the first coordinate, of the memories nearest in it: a lower bound of the circle with as many memories.
 */
function stripOf(below: readonly Located[], above: readonly Located[], near: NearPoint, origin: number): number {
  const reaches = [...below, ...above].map(({ first }) => Math.abs((first ?? 0) - origin)).sort((a, b) => a - b);
  const reach = reaches[Math.floor(reaches.length / 2)] ?? 0;
  return near.kind === 'point' ? reach : (reach / 180) * FARTHEST_M;
}

function locatedWithin(database: SqliteDatabase, namespaceKey: number, near: NearPoint, radius: number): Located[] {
  const area: Area =
    near.kind === 'point'
      ? { kind: 'point_radius', center: near.point, radius }
      : { kind: 'geo_radius', center: near.geo, radiusM: radius };
  const { may = sql`1` } = narrowArea(area);
  const rows = queries
    .selectFrom('memory')
    .select('pk')
    .select(columnsOf(near.kind))
    .where('namespace_key', '=', namespaceKey)
    .where(may);
  return prepareOnce<Located>(database, rows).all({});
}

/** With their distances, in order of distance. */
function measured(rows: readonly Located[], near: NearPoint): Found[] {
  return rows
    .flatMap(({ pk, first, second, third }) => {
      if (first === null || second === null) return [];
      const distance =
        near.kind === 'point'
          ? straightDistance({ x: first, y: second, z: third ?? 0 }, near.point)
          : distanceM({ latitudeDeg: first, longitudeDeg: second }, near.geo);
      return [{ pk, distance }];
    })
    .sort((a, b) => a.distance - b.distance || a.pk - b.pk);
}

function keysOf(found: readonly Found[], limit: number): number[] {
  return found.slice(0, limit).map(({ pk }) => pk);
}
