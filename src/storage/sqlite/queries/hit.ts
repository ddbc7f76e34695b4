import { isDamage } from '../../../memory/errors.ts';
import type { Memory, MemoryView, Micros } from '../../../memory/memory.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, memoryFromRow, storedVector, vectorKey, WIDE_COLUMNS } from '../rows.ts';

interface Key {
  pk: number;
  now_us: number;
}

/** By the row key: one look-up less than by name and id. */
const hitRows = (p: Key) =>
  queries
    .selectFrom('memory')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(MEMORY_COLUMNS.map((name) => `memory.${name}` as const))
    .select(BODY_COLUMNS)
    .where('memory.pk', '=', p.pk)
    .where((eb) => eb.or([eb('memory.expires_at_us', 'is', null), eb('memory.expires_at_us', '>', p.now_us)]));

const byKey = {
  metadata: prepared((p: Key) => hitRows(p)),
  basic: prepared((p: Key) => hitRows(p).select(WIDE_COLUMNS)),
  full: prepared((p: Key) =>
    hitRows(p)
      .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
      .leftJoin('memory_vector', (join) => join.on('memory_vector.pk', '=', vectorKey))
      .select([...WIDE_COLUMNS, storedVector, 'memory_vector.small', 'namespace.embedding_model as model']),
  ),
} as const;

/** A memory as `getMemories` returns it; `undefined` for an expired or damaged one. */
export function readHit(
  database: SqliteDatabase,
  namespace: string,
  read: { readonly pk: number; readonly view: MemoryView; readonly nowUs: Micros },
): Memory | undefined {
  const row = byKey[read.view](database).get({ pk: read.pk, now_us: read.nowUs });
  if (!row) return undefined;
  try {
    return memoryFromRow(namespace, row);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
