/** A group that follows another waits so long for more writes, counted from when the one before went out. */
const GATHER_MS = 4;
/** Where groups are as large as this it waits twice as long, which takes a tenth less of each write. */
const MANY = 4;
/** Of the largest group of late, so much is still expected of the next one. */
const MEMORY = 0.8;

/**
 * When the next group of writes is to go out. A commit costs the writer, and whoever reads what it has changed, half as much
 * for four writes as for each alone. While writes come by themselves one by one, none waits; nor do those of callers who
 * all wait for an answer, which are as many as the last time.
 */
export class CommitPace {
  private expected = 0;
  private sentAtMs = Number.NEGATIVE_INFINITY;

  /** Milliseconds until `count` writes that wait are to go out if no more come. */
  dueInMs(count: number, nowMs: number): number {
    const isMoreExpected = this.expected >= 2 && count < Math.floor(this.expected);
    const gatherMs = this.expected >= MANY ? 2 * GATHER_MS : GATHER_MS;
    return isMoreExpected ? Math.max(0, this.sentAtMs + gatherMs - nowMs) : 0;
  }

  sent(count: number, nowMs: number): void {
    this.expected = Math.max(count, this.expected * MEMORY);
    this.sentAtMs = nowMs;
  }
}
