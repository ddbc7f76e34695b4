/** Time that a group waits for more writes, counted from when the previous group went out. */
const GATHER_MS = 4;
/** Groups of at least this size wait twice as long, which saves a tenth of the cost of each write. */
const MANY = 4;
/** Share of the largest recent group that is expected of the next group. */
const MEMORY = 0.8;

/**
 * Decides when the next group of writes goes out. A commit costs the writer, and the readers of its changes, half as
 * much for four writes as for each alone. Single writes do not wait; nor do writes of concurrent callers that all await
 * an answer, once there are as many as the last time.
 */
export class CommitPace {
  private expected = 0;
  private sentAtMs = Number.NEGATIVE_INFINITY;

  /** Milliseconds until `count` queued writes go out if no more arrive. */
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

/** Time after a read of upkeep in which stores leave none: the next read follows soon. */
const READS_RECENT_MS = 250;
/** Writes of a batch whose upkeep may wait: more share its cost among themselves. */
const WAITING_WRITES_MAX = 4;
/** Bytes of such a batch: the upkeep is made again after a crash. */
const WAITING_BYTES_MAX = 32_768;

/** Decides whether stores may leave their upkeep to later transactions. */
export class UpkeepPace {
  /** Reads of it at the moment. */
  readers = 0;
  readAtMs = Number.NEGATIVE_INFINITY;
  private readonly isAllowed: boolean;

  constructor(isAllowed: boolean) {
    this.isAllowed = isAllowed;
  }

  mayWait(batch: readonly { readonly bytes: number }[], nowMs: number): boolean {
    if (!this.isAllowed || batch.length > WAITING_WRITES_MAX) return false;
    if (this.readers > 0 || nowMs - this.readAtMs < READS_RECENT_MS) return false;
    return batch.reduce((sum, { bytes }) => sum + bytes, 0) <= WAITING_BYTES_MAX;
  }
}
