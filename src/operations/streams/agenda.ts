import type { Urgency } from './standing.ts';

/** Time that changes which hardly matter may wait for others: one evaluation then serves them all. */
const SETTLE_MS = 250;
/** A query is evaluated for at most so much of the time because of changes that hardly matter. */
const SETTLE_SHARE = 0.1;
const PAUSE_MAX_MS = 60_000;
const RETRY_MS = 1000;

/** When a query is to be evaluated again, and why. */
export class Agenda {
  private urgency: Urgency | undefined;
  private dirtySinceMs = 0;
  private evaluatedAtMs = 0;
  private costMs = 0;
  private nextAtUs = Number.POSITIVE_INFINITY;

  get isDirty(): boolean {
    return this.urgency !== undefined;
  }

  add(urgency: Urgency): void {
    if (!this.urgency) this.dirtySinceMs = performance.now();
    if (this.urgency !== 'urgent') this.urgency = urgency;
  }

  /** Milliseconds until the next evaluation is due. */
  dueInMs(nowUs: number): number {
    const byTime = (this.nextAtUs - nowUs) / 1000;
    if (!this.urgency) return byTime;
    const nowMs = performance.now();
    // A query that every write affects leaves as much time to others as it takes itself.
    const rest = this.evaluatedAtMs + Math.min(this.costMs, PAUSE_MAX_MS) - nowMs;
    if (this.urgency === 'urgent') return Math.min(byTime, rest);
    const settled = this.dirtySinceMs + SETTLE_MS - nowMs;
    const share = this.evaluatedAtMs + Math.min(this.costMs / SETTLE_SHARE, PAUSE_MAX_MS) - nowMs;
    return Math.min(byTime, Math.max(settled, share));
  }

  /** Changes that come while the evaluation runs may be in its answer or not. */
  begin(): void {
    this.urgency = undefined;
    this.evaluatedAtMs = performance.now();
  }

  /** The evaluation has failed: what it was for is still to be done, a little later. */
  fail(): void {
    this.end(Number.POSITIVE_INFINITY);
    this.costMs = RETRY_MS;
    this.add('urgent');
  }

  end(nextAtUs: number): void {
    const nowMs = performance.now();
    this.costMs = nowMs - this.evaluatedAtMs;
    this.evaluatedAtMs = nowMs;
    this.nextAtUs = nextAtUs;
  }
}
