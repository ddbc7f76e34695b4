import type { SqliteDatabase } from './database.ts';
import { narrowKeys } from './narrow-keys.ts';
import { prepared, queries } from './prepared.ts';
import type { MemoryReaders } from './recall-source.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, memoryOrRest, WIDE_COLUMNS } from './rows.ts';

const rowByKey = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory')
    .innerJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(MEMORY_COLUMNS.map((name) => `memory.${name}` as const))
    .select([...BODY_COLUMNS, ...WIDE_COLUMNS])
    .where('memory.pk', '=', p.pk),
);

/**
 * What recall reads in the same way as the rest of the store. Memories come without their vectors, one that is damaged
 * as far as it can be read: who reads the hit is told.
 */
export function memoryReaders(database: SqliteDatabase): MemoryReaders {
  return {
    narrow: (namespace, filter, limit) => narrowKeys(database, namespace.key, filter, limit),
    read: (namespace, pk) => {
      const row = rowByKey(database).get({ pk });
      return row && memoryOrRest(namespace.name, row).memory;
    },
  };
}
