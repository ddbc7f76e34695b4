import { setTimeout as sleep } from 'node:timers/promises';

/** Moves are background work: those who recall meanwhile would wait for what goes faster. */
const MOVES_PER_S_MAX = 5100;
/** Time lost, as by planning, is made up for: at most so much. */
const MADE_UP_MS = 100;

interface Timing {
  nowMs(): number;
  sleep(forMs: number): Promise<void>;
}

/**
 * Spreads moves evenly over time: moved as fast as can be and rested from afterwards, they would take all cores from who recalls in
 * each of those stretches.
 */
export class MovePace {
  private freeAtMs = 0;
  private readonly timing: Timing;

  constructor(timing: Timing = { nowMs: () => performance.now(), sleep: (forMs) => sleep(forMs) }) {
    this.timing = timing;
  }

  /** Resolves when so many moves may be made. */
  async take(count: number): Promise<void> {
    const nowMs = this.timing.nowMs();
    const atMs = Math.max(this.freeAtMs, nowMs - MADE_UP_MS);
    this.freeAtMs = atMs + (count * 1000) / MOVES_PER_S_MAX;
    if (atMs > nowMs) await this.timing.sleep(atMs - nowMs);
  }
}

/** That of this server: whoever maintains whatever namespaces, all their moves together are no more. */
export const movePace = new MovePace();
