import type { Timing } from '../../clients/typescript/src/index.ts';

/** Time that passes only when a test advances it. */
export class ManualTiming implements Timing {
  private atMs = 0;
  private timers: { readonly dueMs: number; readonly callback: () => void }[] = [];
  private readonly values: number[];

  /** Results of `random`, one after the other, the last one repeatedly. */
  constructor(...values: number[]) {
    this.values = values;
  }

  nowMs(): number {
    return this.atMs;
  }

  random(): number {
    return (this.values.length > 1 ? this.values.shift() : this.values[0]) ?? 0.5;
  }

  setTimer(callback: () => void, afterMs: number): () => void {
    const timer = { dueMs: this.atMs + afterMs, callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  }

  /** How long each timer still has to go, shortest first. */
  get waiting(): number[] {
    return this.timers.map(({ dueMs }) => dueMs - this.atMs).sort((a, b) => a - b);
  }

  /** Advances time, and runs all timers due in the meantime. */
  pass(ms: number): void {
    const untilMs = this.atMs + ms;
    for (;;) {
      const [next] = this.timers.filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs);
      if (!next) break;
      this.atMs = Math.max(this.atMs, next.dueMs);
      this.timers = this.timers.filter((each) => each !== next);
      next.callback();
    }
    this.atMs = untilMs;
  }
}
