import type { Micros } from './memory.ts';

/** Where operations get the time from; tests set their own. */
export interface Clock {
  nowUs(): Micros;
}

/** Wall clock; microseconds come from the high-resolution timer, so two readings in a millisecond differ. */
export const systemClock: Clock = {
  nowUs: () => Math.floor((performance.timeOrigin + performance.now()) * 1000),
};

/** An instant of RFC 3339, to the second. */
export function secondsOf(atUs: Micros): string {
  return new Date(atUs / 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}
