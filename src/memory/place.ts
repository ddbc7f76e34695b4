import { parsedContent } from './derive-text.ts';
import { type Area, EARTH_RADIUS_M } from './filter.ts';
import { MEMORY_LIMITS } from './limits.ts';
import type { Content, GeoPoint, Micros, Place, Point } from './memory.ts';

/**
 * A place with no coordinates and no names counts as no place: otherwise one backend would return it and another would
 * not.
 */
export function isNowhere({ point, geo, location, room, region }: Place): boolean {
  return !point && !geo && location === '' && room === '' && region === '';
}

type GeoBox = Extract<Area, { kind: 'geo_box' }>;

const RADIANS = Math.PI / 180;

/** Whether a place lies in an area, edges included; never when it lacks the coordinates that the area uses. */
export function isWithin({ point, geo }: Place, area: Area): boolean {
  switch (area.kind) {
    case 'point_radius': {
      if (!point) return false;
      const { center } = area;
      return Math.hypot(point.x - center.x, point.y - center.y, (point.z ?? 0) - (center.z ?? 0)) <= area.radius;
    }
    case 'point_box': {
      if (!point) return false;
      const { low, high } = area;
      const z = point.z ?? 0;
      return (
        isBetween(point.x, low.x, high.x) &&
        isBetween(point.y, low.y, high.y) &&
        isBetween(z, low.z ?? -Infinity, high.z ?? Infinity)
      );
    }
    case 'geo_radius':
      return geo !== undefined && distanceM(geo, area.center) <= area.radiusM;
    case 'geo_box':
      return geo !== undefined && isInBox(geo, area);
  }
}

/** Along the great circle of a sphere (haversine formula, which stays exact for near points). */
export function distanceM(one: GeoPoint, other: GeoPoint): number {
  const latitudes = Math.sin(((other.latitudeDeg - one.latitudeDeg) * RADIANS) / 2);
  const longitudes = Math.sin(((other.longitudeDeg - one.longitudeDeg) * RADIANS) / 2);
  const cosines = Math.cos(one.latitudeDeg * RADIANS) * Math.cos(other.latitudeDeg * RADIANS);
  const haversine = latitudes * latitudes + cosines * longitudes * longitudes;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(Math.min(1, haversine)));
}

function isInBox({ latitudeDeg, longitudeDeg }: GeoPoint, box: GeoBox): boolean {
  if (!isBetween(latitudeDeg, box.southWest.latitudeDeg, box.northEast.latitudeDeg)) return false;
  if (isInLongitudes(longitudeDeg, box)) return true;
  // 180 degrees east and west are one meridian.
  return Math.abs(longitudeDeg) === 180 && isInLongitudes(-longitudeDeg, box);
}

function isInLongitudes(longitudeDeg: number, { southWest, northEast }: GeoBox): boolean {
  const west = southWest.longitudeDeg;
  const east = northEast.longitudeDeg;
  return west <= east ? isBetween(longitudeDeg, west, east) : longitudeDeg >= west || longitudeDeg <= east;
}

function isBetween(value: number, low: number, high: number): boolean {
  return value >= low && value <= high;
}

const DEGREE_KEYS = [
  ['latitude', 'longitude'],
  ['lat', 'lon'],
  ['lat', 'lng'],
  ['lat', 'long'],
] as const;

/** Cheap test before content is parsed: every key that contains a place includes one of these. */
const MAY_HAVE_PLACE = /"(?:position|lat)/;
const latin1 = new TextDecoder('latin1');

/**
 * Coordinates and names that agents write into JSON content, at its top level; `place` in `proto/mneme/v1/memory.proto`
 * lists the keys. `undefined` when there are none.
 */
export function placeInContent(content: Content): Place | undefined {
  if (!MAY_HAVE_PLACE.test(latin1.decode(content.data))) return undefined;
  const json = parsedContent(content);
  if (!isObject(json)) return undefined;
  const position = own(json, 'position');
  const point = pointIn(position) ?? pointOf(own(json, 'position_x'), own(json, 'position_y'), own(json, 'position_z'));
  const geo = geoIn(json) ?? (isObject(position) ? geoIn(position) : undefined);
  const [location, room, region] = [nameIn(position, 'location'), nameIn(position, 'room'), nameIn(position, 'region')];
  if (!point && !geo && location === '' && room === '' && region === '') return undefined;
  return { ...(point ? { point } : {}), ...(geo ? { geo } : {}), location, room, region };
}

function pointIn(position: unknown): Point | undefined {
  if (Array.isArray(position)) {
    return position.length === 2 || position.length === 3 ? pointOf(position[0], position[1], position[2]) : undefined;
  }
  return isObject(position) ? pointOf(own(position, 'x'), own(position, 'y'), own(position, 'z')) : undefined;
}

function pointOf(x: unknown, y: unknown, z: unknown): Point | undefined {
  if (!isFiniteNumber(x) || !isFiniteNumber(y)) return undefined;
  return isFiniteNumber(z) ? { x, y, z } : { x, y };
}

function geoIn(json: object): GeoPoint | undefined {
  for (const [north, east] of DEGREE_KEYS) {
    const [latitudeDeg, longitudeDeg] = [own(json, north), own(json, east)];
    if (!isFiniteNumber(latitudeDeg) || !isFiniteNumber(longitudeDeg)) continue;
    if (Math.abs(latitudeDeg) <= 90 && Math.abs(longitudeDeg) <= 180) return { latitudeDeg, longitudeDeg };
  }
  return undefined;
}

function nameIn(position: unknown, key: 'location' | 'room' | 'region'): string {
  const name = isObject(position) ? own(position, key) : undefined;
  const isName = typeof name === 'string' && !name.includes('\0') && name.isWellFormed();
  return isName && utf8.encode(name).length <= MEMORY_LIMITS.namePartBytes ? name : '';
}
const utf8 = new TextEncoder();

/** Own properties only: a key may be `__proto__`. */
function own(json: object, key: string): unknown {
  return Object.hasOwn(json, key) ? (json as Record<string, unknown>)[key] : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON can hold numbers that overflow to infinity. */
function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** An instant or a step, and the distance from it at which nearness has fallen to a half. */
export type NearTime =
  | { readonly kind: 'time'; readonly atUs: Micros; readonly scaleUs: Micros }
  | { readonly kind: 'step'; readonly step: number; readonly scale: number };

/** A point, and the distance from it at which nearness has fallen to a half; or the names of a place. */
export type NearPlace = NearPoint | NearNames;

export type NearPoint =
  | { readonly kind: 'point'; readonly point: Point; readonly scale: number }
  | { readonly kind: 'geo'; readonly geo: GeoPoint; readonly scaleM: number };

/** Names that are empty do not count; one at least is not. */
export interface NearNames {
  readonly kind: 'named';
  readonly names: PlaceNames;
}

export type PlaceNames = Pick<Place, (typeof PLACE_NAMES)[number]>;

export const PLACE_NAMES = ['location', 'room', 'region'] as const;

/** Share of the names asked for that a place has: 0 to 1. */
export function sharedNames(
  asked: PlaceNames,
  has: (part: (typeof PLACE_NAMES)[number], name: string) => boolean,
): number {
  let [provided, met] = [0, 0];
  for (const part of PLACE_NAMES) {
    if (asked[part] === '') continue;
    provided++;
    if (has(part, asked[part])) met++;
  }
  return provided > 0 ? met / provided : 0;
}

/**
 * 1 where there is no distance, 1/2 at the scale, 1/3 at twice the scale: never so small that far memories could not be
 * distinguished. 0 for a distance that is not known (`NaN`).
 */
export function nearnessOf(distance: number, scale: number): number {
  return Number.isNaN(distance) ? 0 : 1 / (1 + distance / scale);
}

/** Euclidean distance; a missing third coordinate counts as 0. */
export function straightDistance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y, (one.z ?? 0) - (other.z ?? 0));
}
