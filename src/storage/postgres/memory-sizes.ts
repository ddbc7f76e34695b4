import { sql } from '#kysely';
import type { Session } from './database.ts';
import { spaceOf } from './memory-rows.ts';
import type { NamespaceTable } from './schema.ts';

/**
 * Bytes of texts, contents, vectors and former states of the memories among the ids. Readers that have the states up to
 * the revision `after` need no older ones.
 */
export async function sizesOf(
  session: Session,
  row: Pick<NamespaceTable, 'key' | 'vector_sign'>,
  ids: readonly string[],
  after = 0,
): Promise<ReadonlyMap<string, number>> {
  const rows = await session.run(
    sql<{ id: string; bytes: number }>`SELECT m.id, (coalesce(b.body_bytes, 0) + coalesce(octet_length(b.text), 0)
        + coalesce(octet_length(b.content), 0) + coalesce(octet_length(v.data), 0)
        + coalesce((SELECT sum(octet_length(r.state)) FROM memory_revision r
          WHERE r.namespace_key = m.namespace_key AND r.sequence = m.sequence AND r.revision > ${after}::bigint), 0))::bigint AS bytes
      FROM memory m
      LEFT JOIN memory_body b ON b.namespace_key = m.namespace_key AND b.sequence = m.sequence
      LEFT JOIN memory_vector v ON v.namespace_key = ${spaceOf(row)} AND v.sequence = m.sequence
      WHERE m.namespace_key = ${row.key} AND m.id = ANY(${ids}::text[])`,
  );
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}
