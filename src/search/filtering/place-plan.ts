import { type Area, EARTH_RADIUS_M } from '../../memory/filter.ts';
import type { Place } from '../../memory/memory.ts';
import { isWithin } from '../../memory/place.ts';
import type { PlaceColumns } from '../recall/place-columns.ts';
import type { Bits } from './bits.ts';
import { exactly, type Plan } from './filter-plan.ts';
import { inRanges, type NumberRange } from './number-column.ts';

const DEGREES = 180 / Math.PI;
/** Margins of boxes around circles, against rounding errors. */
const SLACK_DEG = 1e-6;
const SLACK = 1e-9;
/** Share of the memories that an area is assumed to leave. */
const AREA_SHARE = 1 / 16;

/** Memories within an area: a box of coordinates first, then the test of each memory in it. */
export function placesIn(area: Area, columns: PlaceColumns, size: number): Plan {
  return exactly(size * AREA_SHARE, (within) => {
    const boxed = inBox(area, columns, within);
    const found = within.emptied();
    for (const sequence of boxed.sequences()) {
      if (isWithin(placeOf(columns, sequence), area)) found.add(sequence);
    }
    return found;
  });
}

function inBox(area: Area, { coordinates: { x, y, latitude } }: PlaceColumns, within: Bits): Bits {
  switch (area.kind) {
    case 'point_radius': {
      const { center, radius } = area;
      const reach = radius + SLACK * (1 + radius + Math.abs(center.x) + Math.abs(center.y));
      return inRanges(y, [around(center.y, reach)], inRanges(x, [around(center.x, reach)], within));
    }
    case 'point_box': {
      const { low, high } = area;
      return inRanges(y, [{ low: low.y, high: high.y }], inRanges(x, [{ low: low.x, high: high.x }], within));
    }
    case 'geo_radius': {
      const reachDeg = (area.radiusM / EARTH_RADIUS_M) * DEGREES + SLACK_DEG;
      return inRanges(latitude, [around(area.center.latitudeDeg, reachDeg)], within);
    }
    case 'geo_box': {
      const { southWest, northEast } = area;
      return inRanges(latitude, [{ low: southWest.latitudeDeg, high: northEast.latitudeDeg }], within);
    }
  }
}

function around(center: number, reach: number): NumberRange {
  return { low: center - reach, high: center + reach };
}

function placeOf({ coordinates }: PlaceColumns, sequence: number): Place {
  const [x, y, z] = [coordinates.x[sequence], coordinates.y[sequence], coordinates.z[sequence]];
  const [latitudeDeg, longitudeDeg] = [coordinates.latitude[sequence], coordinates.longitude[sequence]];
  return {
    ...(isNumber(x) && isNumber(y) && { point: isNumber(z) ? { x, y, z } : { x, y } }),
    ...(isNumber(latitudeDeg) && isNumber(longitudeDeg) && { geo: { latitudeDeg, longitudeDeg } }),
    location: '',
    room: '',
    region: '',
  };
}

function isNumber(value: number | undefined): value is number {
  return value !== undefined && !Number.isNaN(value);
}
