import type { SqliteDatabase } from './database.ts';
import { rowByKey } from './memory-rows.ts';
import { narrowKeys } from './narrow-keys.ts';
import type { MemoryReaders } from './recall-source.ts';
import { memoryOrRest } from './rows.ts';

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
