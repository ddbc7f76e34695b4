import type { Timers } from './clock.ts';

/** One item that waits; in a list from the oldest to the newest. */
export interface Wait<T> {
  readonly item: T;
  untilMs: number;
  /** The list that it waits in; undefined when it waits no longer. */
  in: Waits<T> | undefined;
  older: Wait<T> | undefined;
  newer: Wait<T> | undefined;
}

/**
 * Items that may wait for the same time, with one timer for all: thousands come and go each second, most of them long
 * before their time.
 */
export class Waits<T> {
  private readonly timeoutMs: number;
  private readonly timers: Timers;
  private readonly onLate: (item: T) => void;
  private oldest: Wait<T> | undefined;
  private newest: Wait<T> | undefined;
  private cancelTimer: (() => void) | undefined;
  private count = 0;

  constructor(timeoutMs: number, timers: Timers, onLate: (item: T) => void) {
    this.timeoutMs = timeoutMs;
    this.timers = timers;
    this.onLate = onLate;
  }

  get size(): number {
    return this.count;
  }

  begin(item: T): Wait<T> {
    const untilMs = this.timers.nowMs() + this.timeoutMs;
    const wait: Wait<T> = { item, untilMs, in: this, older: this.newest, newer: undefined };
    if (this.newest) this.newest.newer = wait;
    else this.oldest = wait;
    this.newest = wait;
    this.count++;
    this.cancelTimer ??= this.timers.set(() => this.endLate(), this.timeoutMs);
    return wait;
  }

  /** Without effect when the item does not wait in this list any more. */
  end(wait: Wait<T>): void {
    if (wait.in !== this) return;
    const { older, newer } = wait;
    if (older) older.newer = newer;
    else this.oldest = newer;
    if (newer) newer.older = older;
    else this.newest = older;
    wait.in = undefined;
    wait.older = undefined;
    wait.newer = undefined;
    this.count--;
  }

  /** Ends the oldest wait, and returns its item. */
  takeOldest(): T | undefined {
    const { oldest } = this;
    if (!oldest) return undefined;
    this.end(oldest);
    return oldest.item;
  }

  close(): void {
    this.cancelTimer?.();
    this.cancelTimer = undefined;
  }

  private endLate(): void {
    this.cancelTimer = undefined;
    const nowMs = this.timers.nowMs();
    for (let { oldest } = this; oldest && oldest.untilMs <= nowMs; oldest = this.oldest) {
      this.end(oldest);
      this.onLate(oldest.item);
    }
    if (this.oldest) this.cancelTimer = this.timers.set(() => this.endLate(), this.oldest.untilMs - nowMs);
  }
}
