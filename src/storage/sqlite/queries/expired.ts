import type { Micros } from '../../../memory/memory.ts';
import type { SqliteDatabase } from '../database.ts';
import { prepared, queries } from '../prepared.ts';

const expiredRows = prepared((p: { now_us: number; limit: number }) =>
  queries
    .selectFrom('memory')
    .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
    .select(['namespace.name as namespace', 'memory.id'])
    .where('expires_at_us', '<=', p.now_us)
    .orderBy('expires_at_us')
    .limit(p.limit),
);

/** Ids of memories that have expired, longest ago first, by namespace. */
export function expiredMemories(
  database: SqliteDatabase,
  { limit, nowUs }: { limit: number; nowUs: Micros },
): { namespace: string; ids: string[] }[] {
  const byNamespace = new Map<string, string[]>();
  for (const { namespace, id } of expiredRows(database).all({ now_us: nowUs, limit })) {
    const ids = byNamespace.get(namespace);
    if (ids) ids.push(id);
    else byNamespace.set(namespace, [id]);
  }
  return [...byNamespace].map(([namespace, ids]) => ({ namespace, ids }));
}
