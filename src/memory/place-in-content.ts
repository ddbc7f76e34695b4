import { MEMORY_LIMITS } from './limits.ts';
import type { Content, GeoPoint, Place, Point } from './memory.ts';
import { parsedContent } from './parsed-content.ts';

const DEGREE_KEYS = [
  ['latitude', 'longitude'],
  ['lat', 'lon'],
  ['lat', 'lng'],
  ['lat', 'long'],
] as const;

/** Cheap to look for before content is parsed: no key that gives a place lacks these. */
const MAY_HAVE_PLACE = /"(?:position|lat)/;
const latin1 = new TextDecoder('latin1');

/**
 * Coordinates and names that agents write into JSON content, from its top level; `place` in `proto/mneme/v1/memory.proto` tells
 * which keys. `undefined` when there are none.
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
