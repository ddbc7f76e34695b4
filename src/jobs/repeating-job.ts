/** Runs some work again and again, never twice at once: after a delay that the work itself names, or when it is woken. */
export class RepeatingJob {
  private readonly work: (signal: AbortSignal) => Promise<number>;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isWoken = false;

  /** `work` resolves to the milliseconds until it wants to run again and must not reject. */
  constructor(work: (signal: AbortSignal) => Promise<number>) {
    this.work = work;
  }

  start(delayMs: number): void {
    if (this.stopping.signal.aborted) return;
    this.timer = setTimeout(() => this.wake(), delayMs);
    // Waiting work keeps no process alive.
    this.timer.unref();
  }

  /** Runs the work now, or once more as soon as it is done. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.isWoken = true;
    this.running ??= this.run();
  }

  /** Aborts the work in hand and resolves when it has ended; nothing runs afterwards. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let delayMs = 0;
    while (this.isWoken && !signal.aborted) {
      this.isWoken = false;
      clearTimeout(this.timer);
      delayMs = await this.work(signal);
    }
    this.running = undefined;
    this.start(delayMs);
  }
}
