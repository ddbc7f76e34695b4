import { sql } from '#kysely';
import { type PostgresDatabase, queries, type Session } from './database.ts';

const TABLES = ['memory', 'erased_memory', 'memory_body', 'memory_vector', 'memory_revision', 'change_log'] as const;
/** A step holds no lock that a write of another namespace needs. */
const ROWS_AT_ONCE = 1000;

/** Erases the rows of deleted namespaces in short steps; several servers may do so at a time. */
export async function eraseLeftovers(database: PostgresDatabase): Promise<void> {
  for (;;) {
    const rows = await database.read((session) => session.run(queries.selectFrom('namespace_erasure').selectAll()));
    const [first] = rows;
    if (!first) return;
    const { namespace_key: key } = first;
    for (const table of TABLES)
      while ((await database.read((session) => eraseSome(session, table, 'namespace_key', key))) > 0);
    await database.read((session) =>
      session.run(queries.deleteFrom('namespace_erasure').where('namespace_key', '=', key)),
    );
  }
}

/** Erases rows with a number in a column; returns how many. */
export async function eraseSome(session: Session, table: string, column: string, key: number): Promise<number> {
  const erased = await session.run(
    sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM ${sql.table(table)} WHERE ${sql.ref(column)} = ${key} LIMIT ${ROWS_AT_ONCE} FOR UPDATE))
      RETURNING 1`,
  );
  return erased.length;
}
