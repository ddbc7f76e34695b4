import { sql } from '#kysely';
import type { PostgresDatabase } from './database.ts';

/** Text that the number of an advisory lock is made of: servers share it, a migration of the tables holds it alone. */
export function serversLock(schema: string): string {
  return `${schema}/servers`;
}

/** Takes the lock of a schema alone. `undefined` where a server has it; otherwise a function that releases it. */
export async function lockOutServers(database: PostgresDatabase): Promise<(() => Promise<void>) | undefined> {
  const name = serversLock(database.schema);
  const taken = Promise.withResolvers<boolean>();
  const released = Promise.withResolvers<void>();
  // The lock belongs to the connection, which is borrowed for as long.
  const holding = database.read(async (session) => {
    const [row] = await session.run(
      sql<{ taken: boolean }>`SELECT pg_try_advisory_lock(hashtextextended(${name}, 0)) AS taken`,
    );
    taken.resolve(row?.taken === true);
    if (!row?.taken) return;
    await released.promise;
    await session.run(sql`SELECT pg_advisory_unlock(hashtextextended(${name}, 0))`);
  });
  holding.catch(taken.reject);
  if (!(await taken.promise)) return undefined;
  return async () => {
    released.resolve();
    // A connection that was lost has no lock any more.
    await holding.catch(() => undefined);
  };
}
