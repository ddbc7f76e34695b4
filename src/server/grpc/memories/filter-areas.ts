import type { PlaceFilter } from '../../../../gen/ts/mneme/v1/filter.ts';
import type { GeoPoint as GeoPointMessage, Point as PointMessage } from '../../../../gen/ts/mneme/v1/memory.ts';
import type { Area } from '../../../memory/filter.ts';
import type { GeoPoint, Point } from '../../../memory/memory.ts';
import type { RequestChecks } from '../edge/request-checks.ts';
import { geoPointOf, pointOf } from './memory-fields.ts';

/** The area of a filter on places. */
export function areaOf(checks: RequestChecks, field: string, { area }: PlaceFilter): Area {
  switch (area?.$case) {
    case 'pointRadius': {
      const { center, radius } = area.value;
      const at = `${field}.point_radius`;
      const length = checks.within(`${at}.radius`, radius, 0, Number.MAX_VALUE);
      return { kind: 'point_radius', center: point(checks, `${at}.center`, center), radius: length };
    }
    case 'pointBox': {
      const at = `${field}.point_box`;
      const low = point(checks, `${at}.low`, area.value.low);
      const high = point(checks, `${at}.high`, area.value.high);
      const isInverted = low.x > high.x || low.y > high.y || (low.z ?? -Infinity) > (high.z ?? Infinity);
      if (isInverted) checks.add(`${at}.low`, 'must not exceed high in any coordinate');
      return { kind: 'point_box', low, high };
    }
    case 'geoRadius': {
      const { center, radiusM } = area.value;
      const at = `${field}.geo_radius`;
      const length = checks.within(`${at}.radius_m`, radiusM, 0, Number.MAX_VALUE);
      return { kind: 'geo_radius', center: geoPoint(checks, `${at}.center`, center), radiusM: length };
    }
    case 'geoBox': {
      const at = `${field}.geo_box`;
      const southWest = geoPoint(checks, `${at}.south_west`, area.value.southWest);
      const northEast = geoPoint(checks, `${at}.north_east`, area.value.northEast);
      if (southWest.latitudeDeg > northEast.latitudeDeg) {
        checks.add(`${at}.south_west`, 'must not be north of north_east');
      }
      return { kind: 'geo_box', southWest, northEast };
    }
    default:
      checks.add(field, 'must have one of point_radius, point_box, geo_radius and geo_box');
      return { kind: 'point_radius', center: { x: 0, y: 0 }, radius: 0 };
  }
}

function point(checks: RequestChecks, field: string, message: PointMessage | undefined): Point {
  if (message) return pointOf(checks, field, message);
  checks.add(field, 'is required');
  return { x: 0, y: 0 };
}

function geoPoint(checks: RequestChecks, field: string, message: GeoPointMessage | undefined): GeoPoint {
  if (message) return geoPointOf(checks, field, message);
  checks.add(field, 'is required');
  return { latitudeDeg: 0, longitudeDeg: 0 };
}
