import { sql } from '#kysely';
import type { Micros } from '../../../memory/memory.ts';
import type { SessionKey } from '../../../memory/session.ts';
import { type PostgresDatabase, type Query, queries } from '../database.ts';
import { eraseSome, type Read } from '../erase-leftovers.ts';
import { erasingEvents } from './lifecycle-events.ts';

const TABLES = [
  'session_entry',
  'session_note',
  'session_checkpoint',
  'session_manifest',
  'session_pack',
  'session_change',
] as const;

/** Sessions with expired data, at most about `limit`. */
export async function dueSessions(
  database: PostgresDatabase,
  { nowUs, limit }: { readonly nowUs: Micros; readonly limit: number },
): Promise<SessionKey[]> {
  const rows = await database.read((session) =>
    session.run(
      sql<{ namespace: string; id: string }>`SELECT namespace, id FROM session WHERE key IN (
        (SELECT key FROM session WHERE expires_at_us <= ${nowUs} ORDER BY expires_at_us LIMIT ${limit})
        UNION (SELECT session_key FROM session_entry WHERE expires_at_us <= ${nowUs} ORDER BY expires_at_us LIMIT ${limit})
        UNION (SELECT session_key FROM session_checkpoint WHERE expires_at_us <= ${nowUs}
          ORDER BY expires_at_us LIMIT ${limit}))`,
    ),
  );
  return rows.map(({ namespace, id }) => ({ namespace, session: id }));
}

/** Hides the sessions of a namespace, and erases its events: their rows are erased later. */
export function erasingSessionsOf(namespace: string): Query<unknown>[] {
  return [
    sql`WITH erased AS (DELETE FROM session WHERE namespace = ${namespace} RETURNING key)
      INSERT INTO session_erasure SELECT key FROM erased`,
    ...erasingEvents(namespace),
  ];
}

/** Erases the rows of erased sessions in short steps; several servers may do so at a time. */
export async function eraseSessionRows(read: Read): Promise<void> {
  for (;;) {
    const [first] = await read((session) => session.run(queries.selectFrom('session_erasure').selectAll().limit(1)));
    if (!first) return;
    const { session_key: key } = first;
    for (const table of TABLES) while ((await read((each) => eraseSome(each, table, 'session_key', key))) > 0);
    await read((session) => session.run(queries.deleteFrom('session_erasure').where('session_key', '=', key)));
  }
}
