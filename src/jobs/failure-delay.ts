const FIRST_MS = 1000;
const MAX_MS = 60_000;

/** How long a job waits after failures in a row: a second at first, then twice as long each time, a minute at most. */
export class FailureDelay {
  private failures = 0;

  get isFailing(): boolean {
    return this.failures > 0;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /** Time to wait after one more failure. */
  failed(): number {
    return Math.min(FIRST_MS * 2 ** this.failures++, MAX_MS);
  }
}
