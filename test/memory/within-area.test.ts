import { describe, expect, it } from '@jest/globals';
import type { Area } from '../../src/memory/filter.ts';
import type { Place } from '../../src/memory/memory.ts';
import { distanceM, isWithin } from '../../src/memory/place.ts';

const names = { location: '', room: '', region: '' };
const at = (x: number, y: number, z?: number): Place => ({ ...names, point: { x, y, ...(z !== undefined && { z }) } });
const earth = (latitudeDeg: number, longitudeDeg: number): Place => ({ ...names, geo: { latitudeDeg, longitudeDeg } });
const geo = (latitudeDeg: number, longitudeDeg: number) => ({ latitudeDeg, longitudeDeg });
const box = (south: number, west: number, north: number, east: number): Area => ({
  kind: 'geo_box',
  southWest: geo(south, west),
  northEast: geo(north, east),
});

describe('isWithin', () => {
  const cases: readonly (readonly [what: string, place: Place, area: Area, inside: boolean])[] = [
    ['on the edge of a ball', at(3, 4), { kind: 'point_radius', center: { x: 0, y: 0 }, radius: 5 }, true],
    ['above a circle', at(3, 4, 1), { kind: 'point_radius', center: { x: 0, y: 0 }, radius: 5 }, false],
    [
      'without height under a high ball',
      at(0, 0),
      { kind: 'point_radius', center: { x: 0, y: 0, z: 2 }, radius: 2 },
      true,
    ],
    ['radius 0', at(1, 1), { kind: 'point_radius', center: { x: 1, y: 1 }, radius: 0 }, true],
    [
      'corner of a box',
      at(1, 2, 3),
      { kind: 'point_box', low: { x: 1, y: 2, z: 3 }, high: { x: 4, y: 5, z: 6 } },
      true,
    ],
    ['under a box', at(1, 2), { kind: 'point_box', low: { x: 1, y: 2, z: 3 }, high: { x: 4, y: 5, z: 6 } }, false],
    [
      'any height in a box without',
      at(1, 2, 99),
      { kind: 'point_box', low: { x: 1, y: 2 }, high: { x: 4, y: 5 } },
      true,
    ],
    ['no point', earth(0, 0), { kind: 'point_radius', center: { x: 0, y: 0 }, radius: 5 }, false],
    ['no geo', at(0, 0), box(-90, -180, 90, 180), false],
    ['across the 180th meridian', earth(0, -179), box(-1, 170, 1, -170), true],
    ['outside across the 180th meridian', earth(0, 0), box(-1, 170, 1, -170), false],
    ['on the 180th meridian by its other name', earth(0, -180), box(-1, 170, 1, 180), true],
    [
      'near by over the 180th meridian',
      earth(0, 179.999),
      { kind: 'geo_radius', center: geo(0, -179.999), radiusM: 300 },
      true,
    ],
    ['near by over the pole', earth(89.999, 0), { kind: 'geo_radius', center: geo(89.999, 180), radiusM: 300 }, true],
    ['the other side of Earth', earth(0, 180), { kind: 'geo_radius', center: geo(0, 0), radiusM: 20_000_000 }, false],
    ['everywhere', earth(0, 180), { kind: 'geo_radius', center: geo(0, 0), radiusM: 20_100_000 }, true],
  ];
  it.each(cases)('%s', (_, place, area, inside) => {
    expect(isWithin(place, area)).toBe(inside);
  });
});

describe('distanceM', () => {
  it('Berlin to Paris › about 878 km', () => {
    expect(distanceM(geo(52.52, 13.405), geo(48.8566, 2.3522)) / 1000).toBeCloseTo(877.5, 0);
  });
  it('antipodes and equal points › half a great circle and 0', () => {
    expect(distanceM(geo(30, 10), geo(-30, -170))).toBeCloseTo(Math.PI * 6_371_008.8, 0);
    expect(distanceM(geo(30, 10), geo(30, 10))).toBe(0);
  });
});
