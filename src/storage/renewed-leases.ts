import { type Fence, runFenced } from './job-fence.ts';
import type { JobLeases, LeasedJob, LeaseTable } from './job-leases.ts';

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
/** Renewals that may fail before a lease ends. */
const RENEWALS = 3;

/** Leases in a table, which are renewed while their work runs. */
export class RenewedLeases implements JobLeases {
  private readonly options: RenewedLeasesOptions;
  private readonly leaseMs: number;
  private readonly nowMs: () => number;

  constructor(options: RenewedLeasesOptions) {
    this.options = options;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  async run<T>(
    { name, keepMs }: LeasedJob,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const { table, owner, onFailure } = this.options;
    const number = await table.take({ job: name, owner, ms: this.leaseMs });
    if (number === undefined) return undefined;
    const ended = new AbortController();
    const fence = { job: name, number, lost: () => ended.abort() };
    const stop = this.renewing(fence);
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

  /** Extends the lease until the returned function is called. Where it has ended, the work is not its holder's any more. */
  private renewing(fence: Fence): () => Promise<void> {
    const { table, onFailure, renewEveryMs = this.leaseMs / RENEWALS } = this.options;
    let renewedMs = this.nowMs();
    let renewal = Promise.resolve();
    const timer = setInterval(() => {
      const startedMs = this.nowMs();
      if (startedMs - renewedMs > this.leaseMs) fence.lost();
      renewal = table.extend({ ...fence, ms: this.leaseMs }).then((isHeld) => {
        if (isHeld) renewedMs = startedMs;
        else fence.lost();
      }, onFailure);
    }, renewEveryMs).unref();
    return async () => {
      clearInterval(timer);
      await renewal;
    };
  }
}
