import type { Memory, MemoryView, Micros } from '../../../memory/memory.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, memoryFromRow, WIDE_COLUMNS } from '../rows.ts';
import { vectorKey } from '../vector-spaces.ts';

interface Key {
  namespace: string;
  id: string;
  now_us: number;
}

const rowsByName = (p: Key) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .innerJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(MEMORY_COLUMNS.map((name) => `memory.${name}` as const))
    .select(BODY_COLUMNS)
    .where('namespace.name', '=', p.namespace)
    .where('memory.id', '=', p.id)
    .where((eb) => eb.or([eb('memory.expires_at_us', 'is', null), eb('memory.expires_at_us', '>', p.now_us)]));

const byName = {
  metadata: prepared((p: Key) => rowsByName(p)),
  basic: prepared((p: Key) => rowsByName(p).select(WIDE_COLUMNS)),
  full: prepared((p: Key) =>
    rowsByName(p)
      .leftJoin('memory_vector', (join) => join.on('memory_vector.pk', '=', vectorKey))
      .select([
        ...WIDE_COLUMNS,
        'memory_vector.data as vector',
        'memory_vector.small',
        'namespace.embedding_model as model',
      ]),
  ),
} as const;

/** The memories in the order of `ids`, `undefined` for those that are not there. Fails with NAMESPACE_NOT_FOUND. */
export function getMemories(
  database: SqliteDatabase,
  read: { namespace: string; ids: readonly string[]; view: MemoryView; nowUs: Micros },
): (Memory | undefined)[] {
  const { namespace, view, nowUs } = read;
  const statement = byName[view](database);
  const memories = read.ids.map((id) => {
    const row = statement.get({ namespace, id, now_us: nowUs });
    return row && memoryFromRow(namespace, row);
  });
  // Only a missing memory leaves open whether the namespace is there.
  if (memories.length === 0 || memories.includes(undefined)) namespaceOf(database, namespace);
  return memories;
}
