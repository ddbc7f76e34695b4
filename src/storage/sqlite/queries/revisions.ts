import { sql } from '#kysely';
import { isDamage, memoryNotFound } from '../../../memory/errors.ts';
import type { Memory, MemoryView, Micros } from '../../../memory/memory.ts';
import type { PastState } from '../../memory-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { memoryOfFormerState } from '../former-state.ts';
import { prepared, queries } from '../prepared.ts';
import { getMemories } from './get.ts';
import { memoryKey } from './memory-key.ts';

/** Of a state that cannot be read: the revision before that of the entry which took it away. */
const formerRevision = sql<number>`CASE WHEN json_valid(former) THEN json_extract(former, '$.revision')
  ELSE iif(origin > 0, origin, revision) - 1 END`;
/** By the revision that the state had: a memory that came from another store has others than the entries of the log. */
const formerStates = prepared((p: { pk: number; before: number; limit: number }) =>
  queries
    .selectFrom('change_log')
    .select(['former', formerRevision.as('revision')])
    .where('pk', '=', p.pk)
    .where('former', 'is not', null)
    .where(formerRevision, '<', p.before)
    .orderBy('change_log.revision', 'desc')
    .limit(p.limit),
);

/** States of a memory, newest first. Fails with NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND. */
export function revisionsOf(
  database: SqliteDatabase,
  read: { namespace: string; id: string; limit: number; beforeRevision?: number; nowUs: Micros },
): PastState[] {
  const { namespace, id, limit, beforeRevision = Number.MAX_SAFE_INTEGER, nowUs } = read;
  const find = (view: MemoryView): Memory => {
    const [memory] = getMemories(database, { namespace, ids: [id], view, nowUs });
    if (!memory) throw memoryNotFound(namespace, id);
    return memory;
  };
  const rest = (): Memory => find('metadata');
  const current = readState(() => find('basic'), rest);
  const pk = memoryKey(database).get({ namespace, id })?.pk ?? 0;
  // One more than asked for tells whether the last one is the state that was stored.
  const former = formerStates(database)
    .all({ pk, before: beforeRevision, limit: limit + 1 })
    .map((row) =>
      readState(
        () => memoryOfFormerState(namespace, id, row.former ?? ''),
        () => ({ ...rest(), revision: row.revision }),
      ),
    );
  const states = [current, ...former].filter(({ memory }) => memory.revision < beforeRevision);
  const isWhole = former.length <= limit;
  return states.slice(0, limit).map((state, at) => ({
    ...state,
    change: isWhole && at === states.length - 1 ? 'stored' : 'updated',
  }));
}

/** A state, or what is there in place of one whose bytes are damaged. */
function readState(read: () => Memory, rest: () => Memory): Pick<PastState, 'memory' | 'isDamaged'> {
  try {
    return { memory: read() };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { memory: rest(), isDamaged: true };
  }
}
