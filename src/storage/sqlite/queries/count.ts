import { sql } from '#kysely';
import { MnemeError } from '../../../memory/errors.ts';
import { admits } from '../../../memory/evaluate-filter.ts';
import type { Tier } from '../../../memory/memory.ts';
import type { CountRead } from '../../memory-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { narrowFilter } from '../narrow-filter.ts';
import { ALWAYS, isExact } from '../narrowing.ts';
import { prepareOnce } from '../prepared.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, type MemoryRow, memoryFromRow, tierOf, WIDE_COLUMNS } from '../rows.ts';

/** Memories between two looks at the clock. */
const LOOK_EVERY = 256;

/** Number of memories that the filter admits, by tier. Fails with NAMESPACE_NOT_FOUND, DEADLINE_EXCEEDED. */
export function countMemories(
  database: SqliteDatabase,
  { namespace, filter, nowUs, deadlineAtMs = Number.POSITIVE_INFINITY }: CountRead,
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
  let looked = 0;
  for (const row of prepareOnce(database, query).iterate({})) {
    if (++looked % LOOK_EVERY === 0 && Date.now() >= deadlineAtMs) throw tooMany();
    const memory = memoryFromRow(namespace, row);
    if (admits(filter, memory)) counts.set(memory.tier, (counts.get(memory.tier) ?? 0) + 1);
  }
  return counts;
}

function tooMany(): MnemeError {
  return new MnemeError('DEADLINE_EXCEEDED', 'too many memories had to be looked at to count them before the deadline');
}
