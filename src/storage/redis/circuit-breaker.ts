export interface BreakerOptions {
  /** Failures in a row after which calls are refused. */
  readonly failuresMax: number;
  /** Time after which one refused call is let through to see whether it works again. */
  readonly retryAfterMs: number;
  readonly nowMs: () => number;
}

/**
 * Keeps callers from waiting, each for its whole timeout, for a server that has just let others wait. It counts only
 * calls that got no answer: an error that the server answers with is a sign of life.
 */
export class CircuitBreaker {
  private readonly options: BreakerOptions;
  private failures = 0;
  private retryAtMs = 0;

  constructor(options: BreakerOptions) {
    this.options = options;
  }

  get isOpen(): boolean {
    return this.failures >= this.options.failuresMax;
  }

  /** Whether a call may be made. While the breaker is open this is one call per `retryAfterMs`. */
  admits(): boolean {
    if (!this.isOpen) return true;
    const nowMs = this.options.nowMs();
    if (nowMs < this.retryAtMs) return false;
    this.retryAtMs = nowMs + this.options.retryAfterMs;
    return true;
  }

  /** True when this closed the breaker. */
  succeeded(): boolean {
    const wasOpen = this.isOpen;
    this.failures = 0;
    return wasOpen;
  }

  /** True when this opened the breaker. */
  failed(): boolean {
    const wasOpen = this.isOpen;
    this.failures = Math.min(this.failures + 1, this.options.failuresMax);
    if (this.isOpen) this.retryAtMs = this.options.nowMs() + this.options.retryAfterMs;
    return this.isOpen && !wasOpen;
  }
}
