import { sql } from '#kysely';
import { memoryDamaged } from '../../../memory/errors.ts';
import type { MirroredMemory } from '../../hot-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { prepared, queries } from '../prepared.ts';
import { stateOf } from '../rows.ts';
import { getMemories } from './get.ts';
import { memoryKey } from './memory-key.ts';
import { revisionsOf } from './revisions.ts';

const STATES_MAX = 10_000;
/** An instant at which nothing has expired. */
const ALWAYS = 0;

const tierRow = prepared((p: { namespace: string; id: string }) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .leftJoin('embedding_queue', 'embedding_queue.pk', 'memory.pk')
    .select(['memory.tier_since_us', 'memory.embedding_state', 'embedding_queue.not_before_us'])
    .where('namespace.name', '=', p.namespace)
    .where('memory.id', '=', p.id),
);

/** Whole copies, former states and all, of those of the ids that are there, expired or not. Fails with NAMESPACE_NOT_FOUND, CHECKSUM_MISMATCH. */
export function copiesOf(
  database: SqliteDatabase,
  { namespace, ids }: { readonly namespace: string; readonly ids: readonly string[] },
): MirroredMemory[] {
  const memories = getMemories(database, { namespace, ids, view: 'full', nowUs: ALWAYS });
  return memories.flatMap((memory): MirroredMemory[] => {
    const row = memory && tierRow(database).get({ namespace, id: memory.id });
    if (!memory || !row) return [];
    const states = revisionsOf(database, { namespace, id: memory.id, limit: STATES_MAX, nowUs: ALWAYS });
    if (states.some(({ isDamaged }) => isDamaged)) throw memoryDamaged(namespace, memory.id);
    return [
      {
        memory,
        tierSinceUs: row.tier_since_us,
        embeddingPending: stateOf(row.embedding_state) === 'pending',
        notBeforeUs: row.not_before_us ?? 0,
        past: states.slice(1),
      },
    ];
  });
}

const followedRows = prepared((p: { namespace: string; ids: string }) =>
  queries
    .selectFrom('change_log')
    .innerJoin('namespace', 'namespace.key', 'change_log.namespace_key')
    .select('change_log.id')
    .distinct()
    .where('namespace.name', '=', p.namespace)
    .where('change_log.origin', '>', 0)
    .where('change_log.id', 'in', sql<string>`(SELECT value FROM json_each(${p.ids}))`),
);

/** Those of the ids that an entry of the log is about which is a copy of another store's. */
export function followedIds(
  database: SqliteDatabase,
  { namespace, ids }: { readonly namespace: string; readonly ids: readonly string[] },
): string[] {
  return followedRows(database)
    .all({ namespace, ids: JSON.stringify(ids) })
    .map(({ id }) => id);
}

/** Those of the ids that are there, expired or not; none where the namespace is not. */
export function knownIds(
  database: SqliteDatabase,
  { namespace, ids }: { readonly namespace: string; readonly ids: readonly string[] },
): string[] {
  return ids.filter((id) => memoryKey(database).get({ namespace, id }) !== undefined);
}
