import { sql } from 'kysely';
import { admits } from '../../../memory/evaluate-filter.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Micros, Tier } from '../../../memory/memory.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { narrowFilter } from '../narrow-filter.ts';
import { ALWAYS, isExact } from '../narrowing.ts';
import { prepareOnce } from '../prepared.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, type MemoryRow, memoryFromRow, tierOf, WIDE_COLUMNS } from '../rows.ts';

/** Number of memories that the filter admits, by tier. Fails with NAMESPACE_NOT_FOUND. */
export function countMemories(
  database: SqliteDatabase,
  { namespace, filter, nowUs }: { namespace: string; filter?: Filter; nowUs: Micros },
): Map<Tier, number> {
  const { key } = namespaceOf(database, namespace);
  const narrowing = filter ? narrowFilter(filter, key) : ALWAYS;
  const where = sql`memory.namespace_key = ${key} AND ${narrowing.may ?? sql`1`}
    AND (memory.expires_at_us IS NULL OR memory.expires_at_us > ${nowUs})`;
  if (!filter || isExact(narrowing)) {
    const query = sql<{ tier: number; count: number }>`
      SELECT memory.tier, count(*) AS count FROM memory WHERE ${where} GROUP BY memory.tier ORDER BY memory.tier`;
    return new Map(
      prepareOnce(database, query)
        .all({})
        .map(({ tier, count }) => [tierOf(tier), count]),
    );
  }
  const columns = [
    ...MEMORY_COLUMNS.map((name) => sql.ref(`memory.${name}`)),
    ...[...BODY_COLUMNS, ...WIDE_COLUMNS].map((name) => sql.ref(`memory_body.${name}`)),
  ];
  const query = sql<MemoryRow>`
    SELECT ${sql.join(columns)} FROM memory CROSS JOIN memory_body ON memory_body.pk = memory.pk WHERE ${where}`;
  const counts = new Map<Tier, number>();
  for (const row of prepareOnce(database, query).iterate({})) {
    const memory = memoryFromRow(namespace, row);
    if (admits(filter, memory)) counts.set(memory.tier, (counts.get(memory.tier) ?? 0) + 1);
  }
  return counts;
}
