import { type Fence, runFenced } from './job-fence.ts';
import type { JobLeases, LeaseCount, LeasedJob, LeaseTable } from './job-leases.ts';

export interface RenewedLeasesOptions {
  readonly table: LeaseTable;
  /** Name of this process, unique to it. */
  readonly owner: string;
  /** Time after which another server takes the lease of one that has ended. */
  readonly leaseMs?: number;
  readonly renewEveryMs?: number;
  /** Monotonic clock in milliseconds. */
  readonly nowMs?: () => number;
  /** Called when a lease could not be renewed or ended: it ends by itself. */
  readonly onFailure: (error: unknown) => void;
}

const LEASE_MS = 30_000;
/**
 * Renewals in the time of a lease. A call to the store that hangs takes the time of several (until the timeout of
 * PostgreSQL: more than a third of a lease), and another one must still follow.
 */
const RENEWALS = 6;

/** Leases in a table, which are renewed while their work runs. */
export class RenewedLeases implements JobLeases {
  private readonly options: RenewedLeasesOptions;
  private readonly leaseMs: number;
  private readonly nowMs: () => number;
  private readonly counted = new Map<string, LeaseCount>();

  constructor(options: RenewedLeasesOptions) {
    this.options = options;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  get counts(): readonly LeaseCount[] {
    return [...this.counted.values()];
  }

  async run<T>(
    { name, keepMs }: LeasedJob,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const { table, onFailure } = this.options;
    const askedMs = this.nowMs();
    const number = await this.take(name);
    if (number === undefined) return undefined;
    const ended = new AbortController();
    const lost = () => {
      if (!ended.signal.aborted) this.count(name, 'lost');
      ended.abort();
    };
    const fence = { job: name, number, lost };
    const stop = this.renewing(fence, askedMs);
    try {
      return { result: await runFenced(fence, () => work(ended.signal)) };
    } finally {
      await stop();
      await table.extend({ ...fence, ms: keepMs }).catch(onFailure);
    }
  }

  async close(): Promise<void> {
    const { table, owner, onFailure } = this.options;
    await table.endAll(owner).catch(onFailure);
  }

  private async take(job: string): Promise<number | undefined> {
    const { table, owner } = this.options;
    try {
      const number = await table.take({ job, owner, ms: this.leaseMs });
      this.count(job, number === undefined ? 'elsewhere' : 'taken');
      return number;
    } catch (error) {
      this.count(job, 'failed');
      throw error;
    }
  }

  private count(job: string, outcome: LeaseCount['outcome']): void {
    const key = `${job} ${outcome}`;
    this.counted.set(key, { job, outcome, count: (this.counted.get(key)?.count ?? 0) + 1 });
  }

  /**
   * Extends the lease, which began no earlier than `renewedMs`, until the returned function is called. Where it has ended,
   * the work is not its holder's any more.
   */
  private renewing(fence: Fence, renewedMs: number): () => Promise<void> {
    const { table, onFailure, renewEveryMs = this.leaseMs / RENEWALS } = this.options;
    let lastMs = renewedMs;
    let renewal: Promise<void> | undefined;
    const renew = async (): Promise<void> => {
      const startedMs = this.nowMs();
      try {
        if (await table.extend({ ...fence, ms: this.leaseMs })) lastMs = startedMs;
        else fence.lost();
      } catch (error) {
        onFailure(error);
      }
    };
    const timer = setInterval(() => {
      if (this.nowMs() - lastMs > this.leaseMs) fence.lost();
      // One at a time, so that none is carried out after the lease was released.
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
    }, renewEveryMs).unref();
    return async () => {
      clearInterval(timer);
      await renewal;
    };
  }
}
