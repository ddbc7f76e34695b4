import { sql } from '#kysely';
import type { WorkLease, WorkLeases } from '../../subscription-store.ts';
import type { PostgresAccess } from '../core.ts';
import type { Query } from '../database.ts';
import { doneAmong } from './work-claims.ts';

/** Leases in rows, which end by the clock of PostgreSQL. */
export class PostgresWorkLeases implements WorkLeases {
  private readonly access: Pick<PostgresAccess, 'read'>;

  constructor(access: Pick<PostgresAccess, 'read'>) {
    this.access = access;
  }

  take({ subscriptionKey: key, name, holder }: WorkLease, durationMs: number): Promise<boolean> {
    return this.changes(sql`INSERT INTO subscription_lease AS l (subscription_key, name, holder, ends_at)
      SELECT key, ${name}, ${holder}, ${after(durationMs)} FROM subscription WHERE key = ${key}
      ON CONFLICT (subscription_key, name) DO UPDATE SET holder = excluded.holder, ends_at = excluded.ends_at
      WHERE l.ends_at <= clock_timestamp() RETURNING 1`);
  }

  renew({ subscriptionKey: key, name, holder }: WorkLease, durationMs: number): Promise<boolean> {
    return this.changes(sql`UPDATE subscription_lease SET ends_at = ${after(durationMs)}
      WHERE subscription_key = ${key} AND name = ${name} AND holder = ${holder} AND ends_at > clock_timestamp()
      RETURNING 1`);
  }

  async release({ subscriptionKey: key, name, holder }: WorkLease): Promise<void> {
    await this.changes(sql`DELETE FROM subscription_lease
      WHERE subscription_key = ${key} AND name = ${name} AND holder = ${holder} RETURNING 1`);
  }

  doneOf(subscriptionKey: number, origins: readonly number[]): Promise<ReadonlySet<number>> {
    return this.access.read((session) => doneAmong(session, subscriptionKey, origins));
  }

  /** Whether the statement has changed a row. */
  private async changes(statement: Query<unknown>): Promise<boolean> {
    return (await this.access.read((session) => session.run(statement))).length > 0;
  }
}

function after(durationMs: number) {
  return sql`clock_timestamp() + ${durationMs}::float8 * interval '1 millisecond'`;
}
