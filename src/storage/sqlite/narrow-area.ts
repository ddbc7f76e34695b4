import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { type Area, EARTH_RADIUS_M } from '../../memory/filter.ts';
import { atMost, type Condition, type Narrowing } from './narrowing.ts';

const DEGREES = 180 / Math.PI;
/** Added to the edges of boxes around circles, for what arithmetic rounds off. */
const SLACK_DEG = 1e-6;
const SLACK = 1e-9;

/** A box around the area, as far as the indexes of coordinates go. */
export function narrowArea(area: Area): Narrowing {
  switch (area.kind) {
    case 'point_radius': {
      const { center, radius } = area;
      const reach = radius + SLACK * (1 + radius + Math.abs(center.x) + Math.abs(center.y));
      return inBox('x', 'y', [center.x - reach, center.x + reach], [between('y', center.y - reach, center.y + reach)]);
    }
    case 'point_box':
      return inBox('x', 'y', [area.low.x, area.high.x], [between('y', area.low.y, area.high.y)]);
    case 'geo_radius': {
      const { latitudeDeg, longitudeDeg } = area.center;
      const reachDeg = (area.radiusM / EARTH_RADIUS_M) * DEGREES + SLACK_DEG;
      const latitudes: Range = [latitudeDeg - reachDeg, latitudeDeg + reachDeg];
      return inBox('latitude', 'longitude', latitudes, longitudesAround(longitudeDeg, latitudeDeg, reachDeg));
    }
    case 'geo_box': {
      const { southWest, northEast } = area;
      const latitudes: Range = [southWest.latitudeDeg, northEast.latitudeDeg];
      return inBox(
        'latitude',
        'longitude',
        latitudes,
        longitudesBetween(southWest.longitudeDeg, northEast.longitudeDeg),
      );
    }
  }
}

type Range = readonly [low: number, high: number];

/** In one range of the first coordinate and one of several conditions on the second; no condition means any. */
function inBox(first: string, second: string, range: Range, seconds: readonly Condition[]): Narrowing {
  const isThere = sql<SqlBool>`${column(first)} IS NOT NULL AND ${column(second)} IS NOT NULL`;
  const inRange = sql<SqlBool>`${isThere} AND ${between(first, ...range)}`;
  if (seconds.length === 0) return atMost(sql`(${inRange})`);
  return atMost(sql`(${inRange} AND (${sql.join(seconds, sql` OR `)}))`);
}

/** Meridians that a circle reaches; all of them when it comes near a pole. */
function longitudesAround(longitudeDeg: number, latitudeDeg: number, reachDeg: number): Condition[] {
  if (Math.abs(latitudeDeg) + reachDeg >= 90 - SLACK_DEG) return [];
  const sine = Math.sin(reachDeg / DEGREES) / Math.cos(latitudeDeg / DEGREES);
  const reach = Math.asin(Math.min(1, sine)) * DEGREES + SLACK_DEG;
  const west = longitudeDeg - reach;
  const east = longitudeDeg + reach;
  if (reach >= 180) return [];
  return longitudesBetween(west < -180 ? west + 360 : west, east > 180 ? east - 360 : east);
}

/** From one meridian eastwards to another; 180 degrees east and west are the same one. */
function longitudesBetween(west: number, east: number): Condition[] {
  const opposite = sql<SqlBool>`${column('longitude')} IN (180, -180)`;
  if (west <= east) return [between('longitude', west, east), opposite];
  return [sql`${column('longitude')} >= ${west}`, sql`${column('longitude')} <= ${east}`];
}

function between(name: string, low: number, high: number): Condition {
  return sql`${column(name)} BETWEEN ${low} AND ${high}`;
}

function column(name: string): RawBuilder<unknown> {
  return sql.ref(`memory.${name}`);
}
