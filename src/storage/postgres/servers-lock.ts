import { type RawBuilder, sql } from '#kysely';
import type { PostgresDatabase, Session } from './database.ts';
import { translated } from './driver-error.ts';

/** Text that the number of an advisory lock is made of: servers share it, a migration of the tables holds it alone. */
export function serversLock(schema: string): string {
  return `${schema}/servers`;
}

/** Whether servers, or a migration, have the lock of a schema. It is only looked at, so that it can be taken meanwhile. */
export function isServersLockHeld(session: Session, schema: string): Promise<boolean> {
  return isLockHeld(session, sql`hashtextextended(${serversLock(schema)}, 0)`);
}

/** Whether any connection has the advisory lock of a number. */
export async function isLockHeld(session: Session, number: RawBuilder<unknown>): Promise<boolean> {
  const rows = await session.run(
    sql`SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32 | objid::bigint) = ${number} LIMIT 1`,
  );
  return rows.length > 0;
}

/** The lock of a schema, which a connection holds alone. */
export interface HeldLock {
  /** Fails where the connection that holds the lock was lost. */
  check(): Promise<void>;
  release(): Promise<void>;
}

/** Takes the lock of a schema alone. `undefined` where a server, or another migration, has it. */
export async function lockOutServers(database: PostgresDatabase): Promise<HeldLock | undefined> {
  const name = serversLock(database.schema);
  const taken = Promise.withResolvers<Session | undefined>();
  const released = Promise.withResolvers<void>();
  // The lock belongs to the connection, which is borrowed for as long.
  const holding = database.read(async (session) => {
    // PostgreSQL may be set to end connections without statements.
    await session.run(sql`SET idle_session_timeout = 0`);
    const [row] = await session.run(
      sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(hashtextextended(${name}, 0)) AS taken`,
    );
    taken.resolve(row?.taken ? session : undefined);
    if (!row?.taken) return;
    await released.promise;
    await session.run(sql`SELECT pg_advisory_unlock(hashtextextended(${name}, 0))`);
  });
  holding.catch(taken.reject);
  const holder = await taken.promise;
  if (!holder) return undefined;
  return {
    async check() {
      try {
        await holder.run(sql`SELECT 1`);
      } catch (error) {
        throw translated(error);
      }
    },
    async release() {
      released.resolve();
      // A connection that was lost has no lock any more.
      await holding.catch(() => undefined);
    },
  };
}
