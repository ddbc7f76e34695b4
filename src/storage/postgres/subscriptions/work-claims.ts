import { sql } from '#kysely';
import type { Claim, WorkClaims, WorkLease, WorkLeases } from '../../subscription-store.ts';
import type { PostgresAccess } from '../core.ts';
import type { Query, Session } from '../database.ts';

export interface PostgresWorkClaimsOptions {
  readonly access: Pick<PostgresAccess, 'read' | 'transaction'>;
  /** Name of the claiming server. */
  readonly owner: () => Promise<string>;
}

/** Claims in rows, which end by the clock of PostgreSQL: the clocks of servers may differ. */
export class PostgresWorkClaims implements WorkClaims {
  private readonly options: PostgresWorkClaimsOptions;

  constructor(options: PostgresWorkClaimsOptions) {
    this.options = options;
  }

  async claim({ subscriptionKey, origins, untilMs, nowMs }: Parameters<WorkClaims['claim']>[0]): Promise<Claim[]> {
    const owner = await this.options.owner();
    const durationMs = Math.max(0, untilMs - nowMs);
    const [mine, done] = await this.options.access.transaction(async (session) => {
      // Sent together: each statement sees what was committed before the lock was granted.
      const [, claimed, settled] = await Promise.all([
        session.run(lockSubscriptions([subscriptionKey])),
        session.run(claiming({ subscriptionKey, origins, owner, durationMs })),
        doneAmong(session, subscriptionKey, origins),
      ]);
      return [new Set(claimed.map(({ revision }) => revision)), settled] as const;
    });
    return origins.map((origin) => {
      if (mine.has(origin)) return 'mine';
      return done.has(origin) ? 'done' : 'taken';
    });
  }

  async release(subscriptionKey: number): Promise<void> {
    const owner = await this.options.owner();
    await this.options.access.read((session) =>
      session.run(sql`DELETE FROM subscription_work WHERE subscription_key = ${subscriptionKey} AND owner = ${owner}`),
    );
  }
}

/** Claims and acknowledgements of a subscription wait for each other; in one order, so that none waits for ever. */
export function lockSubscriptions(keys: readonly number[]): Query<{ key: number }> {
  return sql<{ key: number }>`SELECT key FROM subscription WHERE key = ANY(${keys}::bigint[]) ORDER BY key
    FOR NO KEY UPDATE`;
}

/** `-1` before the first acknowledgement. */
function reached(subscriptionKey: number) {
  return sql`coalesce((SELECT revision FROM subscription_cursor
    WHERE subscription_key = ${subscriptionKey} AND consumer = ''), -1)`;
}

function claiming({
  subscriptionKey: key,
  origins,
  owner,
  durationMs,
}: {
  readonly subscriptionKey: number;
  readonly origins: readonly number[];
  readonly owner: string;
  readonly durationMs: number;
}): Query<{ revision: number }> {
  return sql<{ revision: number }>`INSERT INTO subscription_work AS w (subscription_key, revision, owner, ends_at)
    SELECT s.key, asked.revision, ${owner}, clock_timestamp() + ${durationMs}::float8 * interval '1 millisecond'
    FROM subscription s, (SELECT DISTINCT unnest(${origins}::bigint[]) AS revision) asked
    WHERE s.key = ${key} AND asked.revision > ${reached(key)}
    ON CONFLICT (subscription_key, revision) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at
    WHERE w.owner = excluded.owner OR w.ends_at <= clock_timestamp()
    RETURNING revision`;
}

/** The acknowledged changes. */
export async function doneAmong(
  session: Session,
  subscriptionKey: number,
  origins: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await session.run(
    sql<{ revision: number }>`SELECT asked.revision FROM unnest(${origins}::bigint[]) AS asked(revision)
      WHERE asked.revision <= ${reached(subscriptionKey)} OR EXISTS (SELECT 1 FROM subscription_work w
        WHERE w.subscription_key = ${subscriptionKey} AND w.revision = asked.revision AND w.owner IS NULL)`,
  );
  return new Set(rows.map(({ revision }) => revision));
}

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
