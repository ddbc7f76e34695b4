import type { GeoPoint, Micros, Place, Point } from './memory.ts';

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
  let [given, met] = [0, 0];
  for (const part of PLACE_NAMES) {
    if (asked[part] === '') continue;
    given++;
    if (has(part, asked[part])) met++;
  }
  return given > 0 ? met / given : 0;
}

/**
 * 1 where there is no distance, 1/2 at the scale, 1/3 at twice the scale: never so small that far memories could not be
 * told apart. 0 for a distance that is not known (`NaN`).
 */
export function nearnessOf(distance: number, scale: number): number {
  return Number.isNaN(distance) ? 0 : 1 / (1 + distance / scale);
}

/** In a straight line; a missing third coordinate counts as 0. */
export function straightDistance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y, (one.z ?? 0) - (other.z ?? 0));
}
