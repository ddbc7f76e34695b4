import { sql } from '#kysely';
import type { PostgresAccess } from '../core.ts';
import { queries } from '../database.ts';
import { SESSIONS_ARE_IN_REDIS } from '../driver-error.ts';

/** Which store has the sessions of the servers that share a PostgreSQL. All of them must agree on it. */
export class SessionOwner {
  private readonly access: Pick<PostgresAccess, 'read' | 'transaction'>;

  constructor(access: Pick<PostgresAccess, 'read' | 'transaction'>) {
    this.access = access;
  }

  /** The mark of the Redis that has them; `undefined`: PostgreSQL has them. */
  async mark(): Promise<string | undefined> {
    const [row] = await this.access.read((session) => session.run(queries.selectFrom('session_home').selectAll()));
    return row?.mark;
  }

  /**
   * Makes a Redis the owner of all sessions, unless PostgreSQL has some. PostgreSQL then refuses sessions of every
   * server. Resolves to the mark of the owner; `undefined` where PostgreSQL has sessions.
   */
  giveToRedis(mark: string): Promise<string | undefined> {
    return this.access.transaction(async (session) => {
      // Of servers that start together, one decides.
      await session.run(sql`LOCK TABLE session_home IN EXCLUSIVE MODE`);
      const [row] = await session.run(queries.selectFrom('session_home').selectAll());
      if (row) return row.mark;
      // Waits for the writes of servers that started before.
      await session.run(sql`LOCK TABLE session IN ACCESS EXCLUSIVE MODE`);
      const held = await session.run(queries.selectFrom('session').select('key').limit(1));
      if (held.length > 0) return undefined;
      await session.run(
        sql`ALTER TABLE session ADD CONSTRAINT ${sql.id(SESSIONS_ARE_IN_REDIS)} CHECK (false) NOT VALID`,
      );
      await session.run(queries.insertInto('session_home').values({ mark }));
      return mark;
    });
  }

  /** Makes the Redis of another mark the owner. False, without changes, where the mark is not `before` any more. */
  async replaceMark(before: string, mark: string): Promise<boolean> {
    const replaced = await this.access.transaction((session) =>
      session.run(queries.updateTable('session_home').set({ mark }).where('mark', '=', before).returning('mark')),
    );
    return replaced.length > 0;
  }

  /** End of the lease of a job, as text; `undefined` while no server has it. */
  async leaseEnd(job: string): Promise<string | undefined> {
    const [row] = await this.access.read((session) =>
      session.run(
        sql<{
          ends_at: string;
        }>`SELECT ends_at::text FROM job_lease WHERE job = ${job} AND ends_at > clock_timestamp()`,
      ),
    );
    return row?.ends_at;
  }
}
