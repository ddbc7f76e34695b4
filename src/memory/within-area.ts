import { type Area, EARTH_RADIUS_M } from './filter.ts';
import type { GeoPoint, Place } from './memory.ts';

type GeoBox = Extract<Area, { kind: 'geo_box' }>;

const RADIANS = Math.PI / 180;

/** Whether a place lies in an area, edges included; never when it lacks the coordinates that the area is made of. */
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
