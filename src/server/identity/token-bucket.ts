/** A rate: `perSecond` units on average, and `burst` units at once. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** Rounding of times must not let a caller wait that is on time. */
const EPSILON = 1e-6;

/**
 * A token bucket, full at first. The rate comes with each use, so that another rate goes on from the present level. Instants are those
 * of a clock that never goes back.
 */
export class TokenBucket {
  private level: number;
  private atMs: number;

  constructor({ burst }: Rate, nowMs: number) {
    this.level = burst;
    this.atMs = nowMs;
  }

  /** Time until a unit is there; 0: one is there now. */
  waitMs(rate: Rate, nowMs: number): number {
    this.fill(rate, nowMs);
    const missing = 1 - this.level;
    return missing <= EPSILON ? 0 : Math.ceil((missing / rate.perSecond) * 1000);
  }

  /** Takes units. Where fewer are there the level falls below zero, and later uses wait until the debt is paid. */
  take(rate: Rate, nowMs: number, amount = 1): void {
    this.fill(rate, nowMs);
    this.level -= amount;
  }

  /** Units that have been taken and have not come back. */
  used(rate: Rate, nowMs: number): number {
    this.fill(rate, nowMs);
    return rate.burst - this.level;
  }

  private fill({ perSecond, burst }: Rate, nowMs: number): void {
    const seconds = Math.max(0, nowMs - this.atMs) / 1000;
    this.level = Math.min(burst, this.level + seconds * perSecond);
    this.atMs = nowMs;
  }
}
