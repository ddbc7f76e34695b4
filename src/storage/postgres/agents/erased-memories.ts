import { sql } from '#kysely';
import { type Query, queries, type Session } from '../database.ts';

/** Tables of the parts of a memory, which stay while a snapshot shows the memory. */
const PARTS = ['memory_body', 'memory_revision'] as const;

export interface Erasure {
  readonly key: number;
  readonly sequences: readonly number[];
  /** Whether the namespace has snapshots. */
  readonly hasSnapshots: boolean;
  /** Model of its vectors. */
  readonly model: string;
  /** Space of its vectors. */
  readonly space: number;
  /** A revision after every snapshot so far. */
  readonly revision: number;
}

/** Erases memories from all tables; those that a snapshot shows are kept for it. */
export function erasing({ key, sequences, hasSnapshots, model, space, revision }: Erasure): Query<unknown>[] {
  if (sequences.length === 0) return [];
  const isErased = sql<boolean>`namespace_key = ${key} AND sequence = ANY(${sequences}::bigint[])`;
  const erase = [
    sql`DELETE FROM memory WHERE ${isErased}`,
    // Of both spaces, as vectors may be recomputed.
    sql`DELETE FROM memory_vector WHERE namespace_key IN (${key}, ${-key}) AND sequence = ANY(${sequences}::bigint[])`,
  ];
  if (!hasSnapshots) return [...erase, ...PARTS.map((table) => sql`DELETE FROM ${sql.table(table)} WHERE ${isErased}`)];
  return [
    sql`INSERT INTO erased_memory SELECT m.*, ${model}, ${revision}::bigint,
        (SELECT data FROM memory_vector v WHERE v.namespace_key = ${space} AND v.sequence = m.sequence)
      FROM memory m
      WHERE ${isErased} AND EXISTS (SELECT 1 FROM agent_snapshot s WHERE s.namespace_key = m.namespace_key AND ${isShown})`,
    ...erase,
    ...PARTS.map(
      (table) => sql`DELETE FROM ${sql.table(table)} p WHERE ${isErased} AND NOT EXISTS (
      SELECT 1 FROM erased_memory e WHERE e.namespace_key = p.namespace_key AND e.sequence = p.sequence)`,
    ),
  ];
}

/** Whether memory `m` is, or was, of the agent of snapshot `s`; a few memories that were not are kept as well. */
const isShown = sql`(m.agent = s.agent OR EXISTS (SELECT 1 FROM memory_revision r
  WHERE r.namespace_key = m.namespace_key AND r.sequence = m.sequence
    AND strpos(r.state, '"agent":' || to_json(s.agent)::text) > 0))`;

/** Erases what was kept for snapshots that are no more. */
export async function eraseUnshown(session: Session, key: number): Promise<void> {
  const rows = await session.run(
    sql<{ sequence: number }>`DELETE FROM erased_memory m WHERE m.namespace_key = ${key} AND NOT EXISTS (
      SELECT 1 FROM agent_snapshot s
      WHERE s.namespace_key = m.namespace_key AND s.revision < m.erased_revision AND ${isShown})
      RETURNING sequence`,
  );
  if (rows.length === 0) return;
  const sequences = rows.map(({ sequence }) => sequence);
  await session.runAll(
    PARTS.map((table) =>
      queries
        .deleteFrom(table)
        .where('namespace_key', '=', key)
        .where('sequence', '=', sql<number>`any(${sequences}::bigint[])`),
    ),
  );
}
