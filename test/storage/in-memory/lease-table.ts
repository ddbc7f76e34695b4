import type { LeaseTable } from '../../../src/storage/job-leases.ts';

type Asked<K extends keyof LeaseTable> = Parameters<LeaseTable[K]>[0];

interface Lease {
  readonly number: number;
  readonly owner: string;
  readonly endsAtMs: number;
}

/** Leases in memory: the reference for the other backends. */
export class InMemoryLeaseTable implements LeaseTable {
  private readonly leases = new Map<string, Lease>();
  private readonly nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Of the latest taking. */
  number(job: string): number | undefined {
    return this.leases.get(job)?.number;
  }

  async take({ job, owner, ms }: Asked<'take'>): Promise<number | undefined> {
    const known = this.leases.get(job);
    if (known && known.owner !== owner && known.endsAtMs > this.nowMs()) return undefined;
    const number = (known?.number ?? 0) + 1;
    this.leases.set(job, { number, owner, endsAtMs: this.nowMs() + ms });
    return number;
  }

  async extend({ job, number, ms }: Asked<'extend'>): Promise<boolean> {
    const known = this.leases.get(job);
    if (known?.number !== number) return false;
    this.leases.set(job, { ...known, endsAtMs: this.nowMs() + ms });
    return true;
  }

  async endAll(owner: string): Promise<void> {
    for (const [job, lease] of this.leases) {
      if (lease.owner === owner) this.leases.set(job, { ...lease, endsAtMs: this.nowMs() });
    }
  }
}
