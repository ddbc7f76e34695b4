import type { Timers } from '../../src/memory/clock.ts';

/** Time that passes when the test says so. */
export class ManualTimers implements Timers {
  private atMs = 0;
  private readonly pending = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.atMs;
  }

  set(callback: () => void, afterMs: number): () => void {
    const timer = { dueMs: this.atMs + afterMs, callback };
    this.pending.add(timer);
    return () => void this.pending.delete(timer);
  }

  /** Runs the timers that are due, in order, also those that they set. */
  advance(byMs: number): void {
    const untilMs = this.atMs + byMs;
    for (;;) {
      const due = [...this.pending].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!due) break;
      this.pending.delete(due);
      this.atMs = Math.max(this.atMs, due.dueMs);
      due.callback();
    }
    this.atMs = untilMs;
  }
}
