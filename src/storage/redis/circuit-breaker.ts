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
  private succeededAtMs = Number.NEGATIVE_INFINITY;

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
    this.succeededAtMs = this.options.nowMs();
    return wasOpen;
  }

  /**
   * True when this opened the breaker. A call that was made before the last success says nothing about the server as it is
   * now: those that were under way when a server was restarted end by their timeout when it has long been back.
   */
  failed(calledAtMs: number): boolean {
    if (calledAtMs < this.succeededAtMs) return false;
    const wasOpen = this.isOpen;
    this.failures = Math.min(this.failures + 1, this.options.failuresMax);
    if (this.isOpen) this.retryAtMs = this.options.nowMs() + this.options.retryAfterMs;
    return this.isOpen && !wasOpen;
  }
}
