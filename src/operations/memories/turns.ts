/** Work of one turn of the event loop after which others come first. */
const TURN_MS = 5;

/**
 * Shares the event loop among steps of work: whoever is about to begin one asks whether to wait. Steps that wait go on in
 * order, some milliseconds' worth in each turn, with reading, writing and timers in between.
 */
export class Turns {
  private startedAtMs = 0;
  private isOpen = false;
  private readonly waiting: (() => void)[] = [];
  private readonly nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** What to await before the next step; nothing while there is time left in this turn. */
  wait(): Promise<void> | undefined {
    if (!this.isOpen) this.open();
    if (this.waiting.length === 0 && this.hasTime()) return undefined;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private open(): void {
    this.isOpen = true;
    this.startedAtMs = this.nowMs();
    setImmediate(() => void this.close());
  }

  private async close(): Promise<void> {
    this.isOpen = false;
    if (this.waiting.length === 0) return;
    this.open();
    while (this.waiting.length > 0 && this.hasTime()) {
      this.waiting.shift()?.();
      // The step that was let go comes first among the promises that are settled now.
      await Promise.resolve();
    }
  }

  private hasTime(): boolean {
    return this.nowMs() - this.startedAtMs < TURN_MS;
  }
}

/** Those of this thread. */
export const turns = new Turns();
