import type {
  GeoPoint as GeoPointMessage,
  Place as PlaceMessage,
  Point as PointMessage,
} from '../../../gen/ts/mneme/v1/memory.ts';
import { MEMORY_LIMITS } from '../../memory/limits.ts';
import type { GeoPoint, Place, Point } from '../../memory/memory.ts';
import type { RequestChecks } from '../edge/request-checks.ts';

export function placeMessage({ point, geo, location, room, region }: Place): PlaceMessage {
  return { point: point && { ...point }, geo: geo && { ...geo }, location, room, region };
}

export function placeOf(checks: RequestChecks, field: string, place: PlaceMessage): Place {
  const name = (part: 'location' | 'room' | 'region') =>
    checks.text(`${field}.${part}`, place[part], MEMORY_LIMITS.namePartBytes);
  return {
    ...(place.point ? { point: pointOf(checks, `${field}.point`, place.point) } : {}),
    ...(place.geo ? { geo: geoPointOf(checks, `${field}.geo`, place.geo) } : {}),
    location: name('location'),
    room: name('room'),
    region: name('region'),
  };
}

export function pointOf(checks: RequestChecks, field: string, { x, y, z }: PointMessage): Point {
  return {
    x: checks.finite(`${field}.x`, x),
    y: checks.finite(`${field}.y`, y),
    ...(z === undefined ? {} : { z: checks.finite(`${field}.z`, z) }),
  };
}

export function geoPointOf(checks: RequestChecks, field: string, point: GeoPointMessage): GeoPoint {
  return {
    latitudeDeg: checks.within(`${field}.latitude_deg`, point.latitudeDeg, -90, 90),
    longitudeDeg: checks.within(`${field}.longitude_deg`, point.longitudeDeg, -180, 180),
  };
}
