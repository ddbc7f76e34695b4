import { sleep, type Timing } from './timing.ts';

const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/**
 * Waits between attempts: a random time up to a limit that doubles, so that the clients of a server that restarts do not
 * all come back in the same moment.
 */
export class Backoff {
  private readonly timing: Timing;
  private failures = 0;

  constructor(timing: Timing) {
    this.timing = timing;
  }

  /** Called after a success: the next wait is a short one. */
  reset(): void {
    this.failures = 0;
  }

  /** `atLeastMs` is the delay requested by the server. Ends early when the signal is aborted. */
  async wait(atLeastMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const limitMs = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.failures, 20));
    this.failures += 1;
    await sleep(this.timing, (atLeastMs ?? 0) + this.timing.random() * limitMs, signal);
  }
}
