import type { Micros } from './memory.ts';

/** Where operations get the time from; tests set their own. */
export interface Clock {
  nowUs(): Micros;
}

/** Wall clock; microseconds come from the high-resolution timer, so two readings in a millisecond differ. */
export const systemClock: Clock = {
  nowUs: () => Math.floor((performance.timeOrigin + performance.now()) * 1000),
};
