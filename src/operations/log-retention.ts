import type { ChangeLog, LogStretch } from '../change-log/change-log.ts';
import type { Clock } from '../memory/clock.ts';

export interface LogLimits {
  readonly countMax: number;
  readonly bytesMax: number;
  readonly ageMaxMs: number;
}

/** Entries that are looked at, and forgotten, together. */
const STRETCH = 1000;
/** What one look may take before others have their turn. */
const STRETCHES_AT_ONCE = 64;
/** What one command of the writer forgets: some milliseconds' worth. */
const FORGOTTEN_AT_ONCE = 500;

/** Keeps the change log within its limits by forgetting its oldest entries, a little at a time. */
export class LogRetention {
  private readonly log: ChangeLog;
  private readonly clock: Clock;
  private readonly limits: LogLimits;
  /** Oldest first; what has come since the last look is not in it. */
  private readonly stretches: LogStretch[] = [];
  private isBegun = false;
  private throughRevision = 0;
  private count = 0;
  private bytes = 0;

  constructor(log: ChangeLog, clock: Clock, limits: LogLimits) {
    this.log = log;
    this.clock = clock;
    this.limits = limits;
  }

  /** Looks at what is new and forgets what is too much; false when there is more to do at once. */
  async enforce(): Promise<{ readonly isDone: boolean; readonly forgottenCount: number }> {
    const isRead = await this.look();
    const through = this.excess();
    let forgottenCount = 0;
    if (through > 0) {
      while (!(await this.log.compact({ throughRevision: through, limit: FORGOTTEN_AT_ONCE })));
      while ((this.stretches[0]?.throughRevision ?? Number.POSITIVE_INFINITY) <= through) {
        forgottenCount += this.stretches.shift()?.count ?? 0;
      }
    }
    return { isDone: isRead, forgottenCount };
  }

  private async look(): Promise<boolean> {
    if (!this.isBegun) this.throughRevision = await this.log.compactedRevision();
    this.isBegun = true;
    for (let i = 0; i < STRETCHES_AT_ONCE; i++) {
      const stretch = await this.log.measure({ afterRevision: this.throughRevision, limit: STRETCH });
      if (!stretch) return true;
      this.throughRevision = stretch.throughRevision;
      this.stretches.push(stretch);
      this.count += stretch.count;
      this.bytes += stretch.bytes;
      await new Promise(setImmediate);
    }
    return false;
  }

  /** Last revision that is to be forgotten; 0 when none is. */
  private excess(): number {
    const { countMax, bytesMax, ageMaxMs } = this.limits;
    const oldestUs = this.clock.nowUs() - ageMaxMs * 1000;
    let through = 0;
    for (const { throughRevision, count, bytes, newestAtUs } of this.stretches) {
      if (this.count <= countMax && this.bytes <= bytesMax && newestAtUs >= oldestUs) break;
      through = throughRevision;
      this.count -= count;
      this.bytes -= bytes;
    }
    return through;
  }
}
