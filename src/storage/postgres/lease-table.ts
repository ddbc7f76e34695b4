import { sql } from '#kysely';
import type { LeaseTable } from '../job-leases.ts';
import type { PostgresAccess } from './core.ts';

type Asked<K extends keyof LeaseTable> = Parameters<LeaseTable[K]>[0];

/** Leases in rows, which end by the clock of PostgreSQL. */
export class PostgresLeaseTable implements LeaseTable {
  private readonly access: Pick<PostgresAccess, 'read'>;

  constructor(access: Pick<PostgresAccess, 'read'>) {
    this.access = access;
  }

  async take({ job, owner, ms }: Asked<'take'>): Promise<number | undefined> {
    const [row] = await this.access.read((session) =>
      session.run(
        sql<{ fence: number }>`INSERT INTO job_lease AS l (job, owner, fence, ends_at)
          VALUES (${job}, ${owner}, 1, ${after(ms)})
          ON CONFLICT (job) DO UPDATE SET owner = excluded.owner, fence = l.fence + 1, ends_at = excluded.ends_at
          WHERE l.owner = excluded.owner OR l.ends_at <= clock_timestamp() RETURNING fence`,
      ),
    );
    return row?.fence;
  }

  async extend({ job, number, ms }: Asked<'extend'>): Promise<boolean> {
    const rows = await this.access.read((session) =>
      session.run(
        sql`UPDATE job_lease SET ends_at = ${after(ms)} WHERE job = ${job} AND fence = ${number} RETURNING 1`,
      ),
    );
    return rows.length > 0;
  }

  async endAll(owner: string): Promise<void> {
    const ending = sql`UPDATE job_lease SET ends_at = clock_timestamp() WHERE owner = ${owner}`;
    await this.access.read((session) => session.run(ending));
  }
}

function after(ms: number) {
  return sql`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;
}
