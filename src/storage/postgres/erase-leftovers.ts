import { type RawBuilder, sql } from '#kysely';
import { queries, type Session } from './database.ts';

const TABLES = [
  'memory',
  'erased_memory',
  'memory_body',
  'memory_vector',
  'memory_revision',
  'change_log',
  'reembedding',
  'reembedded',
] as const;
/** A step holds no lock that a write of another namespace needs. */
const ROWS_AT_ONCE = 1000;
const ALWAYS = sql<boolean>`true`;

export type Read = <T>(work: (session: Session) => Promise<T>) => Promise<T>;

/** Erases rows of deleted namespaces and vectors out of use, in short steps; several servers may do so at a time. */
export async function eraseLeftovers(read: Read): Promise<void> {
  for (;;) {
    const [unused] = await read((session) => session.run(queries.selectFrom('vector_erasure').selectAll()));
    if (unused) await eraseVectors(read, unused.space);
    const [deleted] = await read((session) => session.run(queries.selectFrom('namespace_erasure').selectAll()));
    if (deleted) await eraseNamespace(read, deleted.namespace_key);
    if (!deleted && !unused) return;
  }
}

async function eraseNamespace(read: Read, key: number): Promise<void> {
  for (const table of TABLES) await eraseAll(read, table, key);
  await eraseAll(read, 'memory_vector', -key);
  await read((session) => session.run(queries.deleteFrom('namespace_erasure').where('namespace_key', '=', key)));
}

/**
 * Erases the vectors of a space, and what was noted about them, unless the space is in use, or vectors are recomputed in
 * it.
 */
export async function eraseVectors(read: Read, space: number): Promise<void> {
  const key = Math.abs(space);
  const isFree = sql<boolean>`NOT EXISTS (SELECT 1 FROM reembedding WHERE namespace_key = ${key})
    AND NOT EXISTS (SELECT 1 FROM namespace WHERE key = ${key} AND key * vector_sign = ${space})`;
  await eraseAll(read, 'memory_vector', space, isFree);
  await eraseAll(read, 'reembedded', key, isFree);
  await read((session) => session.run(queries.deleteFrom('vector_erasure').where('space', '=', space)));
}

async function eraseAll(
  read: Read,
  table: (typeof TABLES)[number],
  key: number,
  condition: RawBuilder<boolean> = ALWAYS,
): Promise<void> {
  while ((await read((session) => eraseSome(session, table, 'namespace_key', key, condition))) > 0);
}

/** Erases rows with a number in a column; returns how many. */
export async function eraseSome(
  session: Session,
  table: string,
  column: string,
  key: number,
  condition: RawBuilder<boolean> = ALWAYS,
): Promise<number> {
  const erased = await session.run(
    sql`DELETE FROM ${sql.table(table)} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${sql.table(table)}
      WHERE ${sql.ref(column)} = ${key} AND ${condition} LIMIT ${ROWS_AT_ONCE} FOR UPDATE))
      RETURNING 1`,
  );
  return erased.length;
}
