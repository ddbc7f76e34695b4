import type { GeoPoint, Micros, Point } from './memory.ts';

/** An instant or a step, and the distance from it at which nearness has fallen to a half. */
export type NearTime =
  | { readonly kind: 'time'; readonly atUs: Micros; readonly scaleUs: Micros }
  | { readonly kind: 'step'; readonly step: number; readonly scale: number };

/** A point, and the distance from it at which nearness has fallen to a half. */
export type NearPlace =
  | { readonly kind: 'point'; readonly point: Point; readonly scale: number }
  | { readonly kind: 'geo'; readonly geo: GeoPoint; readonly scaleM: number };

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
