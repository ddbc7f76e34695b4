/** Work of one turn of the event loop after which other work comes first. */
const TURN_MS = 5;

type Resume = () => void;

/**
 * Shares the event loop among steps of work: before each step its owner asks whether to wait. Steps that wait go on in
 * order, some milliseconds' worth in each turn, with reading, writing and timers in between. Steps of bulk work (pages
 * of exports, of past changes) go on one by one, each in a turn of its own behind the others.
 */
export class Turns {
  private startedAtMs = 0;
  private isOpen = false;
  private readonly waiting: Resume[] = [];
  private readonly bulk: Resume[] = [];
  private readonly nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** A promise to await before the next step; undefined while this turn has time left. */
  wait(): Promise<void> | undefined {
    if (!this.isOpen) this.open();
    if (this.waiting.length === 0 && this.hasTime()) return undefined;
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** To await before a step of bulk work, which takes some milliseconds. */
  waitBehind(): Promise<void> {
    if (!this.isOpen) this.open();
    return new Promise((resolve) => this.bulk.push(resolve));
  }

  private open(): void {
    this.isOpen = true;
    this.startedAtMs = this.nowMs();
    setImmediate(() => void this.close());
  }

  private async close(): Promise<void> {
    this.isOpen = false;
    if (this.waiting.length === 0 && this.bulk.length === 0) return;
    this.open();
    while (this.waiting.length > 0 && this.hasTime()) {
      this.waiting.shift()?.();
      // The step that was resumed comes first among the promises that are settled now.
      await Promise.resolve();
    }
    this.bulk.shift()?.();
  }

  private hasTime(): boolean {
    return this.nowMs() - this.startedAtMs < TURN_MS;
  }
}

/** The turns of this thread. */
export const turns = new Turns();
