import type { SqliteDatabase } from '../database.ts';
import { namespaceNames } from './verify.ts';

/**
 * Completes the namespaces of a repaired file: those whose rows are lost get the name that the index of names or the log
 * still has, and the usual settings.
 */
export function restoreNamespaces(
  from: SqliteDatabase,
  to: SqliteDatabase,
): { names: ReadonlyMap<number, string>; lostSettings: readonly string[] } {
  const known = to.prepare<[number], { name: string }>('SELECT name FROM namespace WHERE key = ?');
  const insert = to.prepare(
    `INSERT INTO namespace(key, name, description, memory_limit, embedding_model, embedding_dimension, next_sequence,
       created_at_us, updated_at_us, revision) VALUES (?, ?, '', 0, '', 0, 1, 0, 0, 0)`,
  );
  const names = new Map<number, string>();
  const lostSettings: string[] = [];
  for (const [key, found] of namespaceNames(from)) {
    const own = known.get(key)?.name;
    names.set(key, own ?? found);
    if (own !== undefined) continue;
    insert.run(key, found);
    lostSettings.push(found);
  }
  return { names, lostSettings };
}
