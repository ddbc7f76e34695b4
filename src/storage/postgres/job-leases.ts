import { sql } from '#kysely';
import type { JobLeases, LeasedJob } from '../job-leases.ts';
import type { PostgresAccess } from './access.ts';
import { runFenced } from './fence.ts';

export interface PostgresJobLeasesOptions {
  readonly access: Pick<PostgresAccess, 'read'>;
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

/** Leases in rows, which end by the clock of PostgreSQL. */
export class PostgresJobLeases implements JobLeases {
  private readonly options: PostgresJobLeasesOptions;
  private readonly leaseMs: number;
  private readonly nowMs: () => number;

  constructor(options: PostgresJobLeasesOptions) {
    this.options = options;
    this.leaseMs = options.leaseMs ?? LEASE_MS;
    this.nowMs = options.nowMs ?? (() => performance.now());
  }

  async run<T>(
    { name, keepMs }: LeasedJob,
    work: (lost: AbortSignal) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const number = await this.take(name);
    if (number === undefined) return undefined;
    const ended = new AbortController();
    const fence = { job: name, number, lost: () => ended.abort() };
    const stop = this.renewing(fence);
    try {
      return { result: await runFenced(fence, () => work(ended.signal)) };
    } finally {
      await stop();
      await this.endIn(fence, keepMs).catch(this.options.onFailure);
    }
  }

  async close(): Promise<void> {
    const { access, owner, onFailure } = this.options;
    const ending = sql`UPDATE job_lease SET ends_at = clock_timestamp() WHERE owner = ${owner}`;
    await access.read((session) => session.run(ending)).catch(onFailure);
  }

  /** The number of the taking; `undefined` while another server has the lease. */
  private async take(job: string): Promise<number | undefined> {
    const { access, owner } = this.options;
    const [row] = await access.read((session) =>
      session.run(
        sql<{ fence: number }>`INSERT INTO job_lease AS l (job, owner, fence, ends_at)
          VALUES (${job}, ${owner}, 1, ${after(this.leaseMs)})
          ON CONFLICT (job) DO UPDATE SET owner = excluded.owner, fence = l.fence + 1, ends_at = excluded.ends_at
          WHERE l.owner = excluded.owner OR l.ends_at <= clock_timestamp() RETURNING fence`,
      ),
    );
    return row?.fence;
  }

  /** Extends the lease until the returned function is called. Where it has ended, the work is not its holder's any more. */
  private renewing(fence: { readonly job: string; readonly number: number; lost(): void }): () => Promise<void> {
    const everyMs = this.options.renewEveryMs ?? this.leaseMs / RENEWALS;
    let renewedMs = this.nowMs();
    let renewal = Promise.resolve();
    const timer = setInterval(() => {
      const startedMs = this.nowMs();
      if (startedMs - renewedMs > this.leaseMs) fence.lost();
      renewal = this.endIn(fence, this.leaseMs).then((isHeld) => {
        if (isHeld) renewedMs = startedMs;
        else fence.lost();
      }, this.options.onFailure);
    }, everyMs).unref();
    return async () => {
      clearInterval(timer);
      await renewal;
    };
  }

  /** False where another taking has followed. */
  private async endIn(
    { job, number }: { readonly job: string; readonly number: number },
    ms: number,
  ): Promise<boolean> {
    const rows = await this.options.access.read((session) =>
      session.run(
        sql`UPDATE job_lease SET ends_at = ${after(ms)} WHERE job = ${job} AND fence = ${number} RETURNING 1`,
      ),
    );
    return rows.length > 0;
  }
}

function after(ms: number) {
  return sql`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;
}
