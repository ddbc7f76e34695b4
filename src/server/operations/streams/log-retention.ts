import type { Clock } from '../../../memory/clock.ts';
import type { ChangeLog, LogStretch } from '../../../storage/change-log/change-log.ts';
import type { OpenStreams, StreamKind } from './open-streams.ts';
import type { OpenSubscriptions } from './open-subscriptions.ts';
import type { StandingQueries } from './standing-queries.ts';

export interface LogLimits {
  readonly countMax: number;
  readonly bytesMax: number;
  readonly ageMaxMs: number;
}

/** The retained part of the change log; the entries of a log that was never compacted begin with revision 1. */
interface HeldLog {
  readonly oldestRevision: number;
  readonly newestRevision: number;
  readonly count: number;
  readonly bytes: number;
}

/** Entries that are looked at, and forgotten, together. */
const STRETCH = 1000;
/** Maximum stretches measured in one run before other work is served. */
const STRETCHES_AT_ONCE = 64;
/** Maximum entries that one command of the writer deletes: some milliseconds of work. */
const FORGOTTEN_AT_ONCE = 500;

/** Keeps the change log within its limits by forgetting its oldest entries, a little at a time. */
export class LogRetention {
  private readonly log: ChangeLog;
  private readonly clock: Clock;
  private readonly limits: LogLimits;
  /** Oldest first; without entries added since the last run. */
  private readonly stretches: LogStretch[] = [];
  private isBegun = false;
  private throughRevision = 0;
  private count = 0;
  private bytes = 0;
  private working: Promise<unknown> = Promise.resolve();

  constructor(log: ChangeLog, clock: Clock, limits: LogLimits) {
    this.log = log;
    this.clock = clock;
    this.limits = limits;
  }

  /** Measures new entries and compacts the log to its limits; false when more work remains. */
  enforce(): Promise<{ readonly isDone: boolean; readonly forgottenCount: number }> {
    return this.alone(() => this.forgetExcess());
  }

  /** The current contents of the log. */
  held(): Promise<HeldLog> {
    return this.alone(async () => {
      while (!(await this.look()));
      const { log, throughRevision: afterRevision } = this;
      const rest = await log.measure({ afterRevision, limit: STRETCH, orFewer: true });
      return {
        oldestRevision: (await log.compactedRevision()) + 1,
        newestRevision: log.revision,
        count: this.count + (rest?.count ?? 0),
        bytes: this.bytes + (rest?.bytes ?? 0),
      };
    });
  }

  /** Serializes work: each step continues where the last one ended. */
  private alone<T>(work: () => Promise<T>): Promise<T> {
    const done = this.working.then(work, work);
    this.working = done.catch(() => undefined);
    return done;
  }

  private async forgetExcess(): Promise<{ readonly isDone: boolean; readonly forgottenCount: number }> {
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

export interface StreamStatisticsDeps {
  readonly streams: OpenStreams;
  readonly standing: StandingQueries;
  readonly subscriptions: OpenSubscriptions;
  readonly retention: LogRetention;
}

export interface StreamStatistics {
  readonly open: readonly { readonly kind: StreamKind; readonly count: number }[];
  readonly standingQueryCount: number;
  readonly consumerCount: number;
  readonly log: HeldLog;
}

/** Statistics of streams and of the change log that is available to them. */
export async function streamStatistics(deps: StreamStatisticsDeps): Promise<StreamStatistics> {
  const log = await deps.retention.held();
  return { ...openCounts(deps), log };
}

/** The part of it that is available without a query. */
export function openCounts({
  streams,
  standing,
  subscriptions,
}: Omit<StreamStatisticsDeps, 'retention'>): Omit<StreamStatistics, 'log'> {
  const open = [...streams.counts].map(([kind, count]) => ({ kind, count }));
  return {
    open: open.sort((one, other) => (one.kind < other.kind ? -1 : 1)),
    standingQueryCount: standing.count,
    consumerCount: subscriptions.consumerCount,
  };
}
