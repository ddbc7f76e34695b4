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

/** Time that passes; tests let it pass by themselves. */
export interface Timers {
  /** Monotonic. */
  nowMs(): number;
  /** Calls back after the time, unless the returned function is called first. Does not keep the process alive. */
  set(callback: () => void, afterMs: number): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  set(callback, afterMs) {
    const timer = setTimeout(callback, afterMs).unref();
    return () => clearTimeout(timer);
  },
};
