import type { Micros } from '../memory.ts';

/** The first and the last second of google.protobuf.Timestamp. */
export const SECONDS = { min: -62_135_596_800, max: 253_402_300_799 } as const;

/** Nearer to 1970 than this a double holds every microsecond: 1684-07-28 to 2255-06-05. */
const EXACT_MS = 9_007_199_254_739;
const MAX_MS = SECONDS.max * 1000 + 999;
/** The last microsecond of 9999, which many programs use for "no end"; greater than every other instant. */
const LAST_US: Micros = MAX_MS * 1000 + 960;

/**
 * The instant that is `us`, 0 to 999, after `ms` whole milliseconds since 1970. Before 1684-07-28 and after 2255-06-05
 * the microseconds are cut off, but those of the last instant of 9999.
 */
export function instantAt(ms: number, us: number): Micros {
  if (Math.abs(ms) <= EXACT_MS) return ms * 1000 + us;
  return ms === MAX_MS && us === 999 ? LAST_US : ms * 1000;
}

/** Inverse of `instantAt`. */
export function splitInstant(atUs: Micros): { readonly ms: number; readonly us: number } {
  const ms = Math.floor(atUs / 1000);
  if (Math.abs(ms) <= EXACT_MS) return { ms, us: atUs - ms * 1000 };
  return atUs === LAST_US ? { ms: MAX_MS, us: 999 } : { ms: Math.round(atUs / 1000), us: 0 };
}

/** The greatest instant before another one. */
export function instantBefore(atUs: Micros): Micros {
  const { ms, us } = splitInstant(atUs);
  return us > 0 ? instantAt(ms, us - 1) : instantAt(ms - 1, 999);
}

/** ISO 8601 with six digits after the second. */
export function isoText(atUs: Micros): string {
  const { ms, us } = splitInstant(atUs);
  return `${new Date(ms).toISOString().slice(0, -1)}${String(us).padStart(3, '0')}Z`;
}

/** `Date.UTC`, which reads years below 100 as those of the 20th century. `month` is from 0. */
export function utcDayMs(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month, day);
}
