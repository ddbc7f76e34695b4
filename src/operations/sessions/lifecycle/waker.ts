/** Lets one loop sleep until something happens. A wake before the wait is not lost. */
export class Waker {
  private isAwake = false;
  private rouse: (() => void) | undefined;

  wake(): void {
    this.isAwake = true;
    this.rouse?.();
  }

  /** Resolves when it is woken, at the latest after `timeoutMs`; rejects with the signal's reason. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.isAwake) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = () => reject(signal.reason as Error);
      const timer = setTimeout(resolve, timeoutMs);
      this.rouse = resolve;
      signal.addEventListener('abort', abort, { once: true });
      try {
        await promise;
      } finally {
        clearTimeout(timer);
        this.rouse = undefined;
        signal.removeEventListener('abort', abort);
      }
    }
    this.isAwake = false;
  }
}
