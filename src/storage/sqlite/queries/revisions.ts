import { sql } from 'kysely';
import { memoryNotFound } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { PastState } from '../../memory-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { memoryOfFormerState } from '../former-state.ts';
import { prepared, queries } from '../prepared.ts';
import { getMemories } from './get.ts';
import { memoryKey } from './memory-key.ts';

const formerRevision = sql<number>`json_extract(former, '$.revision')`;
/** By the revision that the state had: a memory that came from another store has others than the entries of the log. */
const formerStates = prepared((p: { pk: number; before: number; limit: number }) =>
  queries
    .selectFrom('change_log')
    .select('former')
    .where('pk', '=', p.pk)
    .where('former', 'is not', null)
    .where(formerRevision, '<', p.before)
    .orderBy('revision', 'desc')
    .limit(p.limit),
);

/** States of a memory, newest first. Fails with NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND. */
export function revisionsOf(
  database: SqliteDatabase,
  read: { namespace: string; id: string; limit: number; beforeRevision?: number; nowUs: Micros },
): PastState[] {
  const { namespace, id, limit, beforeRevision = Number.MAX_SAFE_INTEGER, nowUs } = read;
  const [current] = getMemories(database, { namespace, ids: [id], view: 'basic', nowUs });
  const pk = memoryKey(database).get({ namespace, id })?.pk;
  if (!current || pk === undefined) throw memoryNotFound(namespace, id);
  // One more than asked for tells whether the last one is the state that was stored.
  const former = formerStates(database)
    .all({ pk, before: beforeRevision, limit: limit + 1 })
    .map((row) => memoryOfFormerState(namespace, row.former ?? ''));
  const states = [current, ...former].filter(({ revision }) => revision < beforeRevision);
  const isWhole = former.length <= limit;
  return states.slice(0, limit).map((memory, at) => ({
    memory,
    change: isWhole && at === states.length - 1 ? 'stored' : 'updated',
  }));
}
