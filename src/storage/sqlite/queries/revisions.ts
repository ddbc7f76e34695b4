import { memoryNotFound } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { PastState } from '../../memory-store.ts';
import { CHANGE } from '../change-log.ts';
import type { SqliteDatabase } from '../database.ts';
import { memoryOfFormerState } from '../former-state.ts';
import { prepared, queries } from '../prepared.ts';
import { getMemories } from './get.ts';

const keyOf = prepared((p: { namespace: string; id: string }) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .select('memory.pk')
    .where('namespace.name', '=', p.namespace)
    .where('memory.id', '=', p.id),
);
/** The entry that a state was replaced by has it as its former one, so the state before `before` is in the first entry from there on. */
const formerStates = prepared((p: { pk: number; before: number; limit: number }) =>
  queries
    .selectFrom('change_log')
    .select('former')
    .where('pk', '=', p.pk)
    .where('former', 'is not', null)
    .where('revision', '<=', (eb) =>
      eb
        .selectFrom('change_log as later')
        .select((later) => later.fn.coalesce(later.fn.min('later.revision'), later.val(p.before)).as('revision'))
        .where('later.pk', '=', p.pk)
        .where('later.former', 'is not', null)
        .where('later.revision', '>=', p.before),
    )
    .orderBy('revision', 'desc')
    .limit(p.limit),
);
const kindOf = prepared((p: { revision: number }) =>
  queries.selectFrom('change_log').select('kind').where('revision', '=', p.revision),
);

/** States of a memory, newest first. Fails with NAMESPACE_NOT_FOUND, MEMORY_NOT_FOUND. */
export function revisionsOf(
  database: SqliteDatabase,
  read: { namespace: string; id: string; limit: number; beforeRevision?: number; nowUs: Micros },
): PastState[] {
  const { namespace, id, limit, beforeRevision = Number.MAX_SAFE_INTEGER, nowUs } = read;
  const [current] = getMemories(database, { namespace, ids: [id], view: 'basic', nowUs });
  const pk = keyOf(database).get({ namespace, id })?.pk;
  if (!current || pk === undefined) throw memoryNotFound(namespace, id);
  const former = formerStates(database)
    .all({ pk, before: beforeRevision, limit })
    .map((row) => memoryOfFormerState(namespace, row.former ?? ''));
  return [current, ...former]
    .filter(({ revision }) => revision < beforeRevision)
    .slice(0, limit)
    .map((memory) => ({ memory, change: changeThatMade(database, memory.revision) }));
}

function changeThatMade(database: SqliteDatabase, revision: number): PastState['change'] {
  // Compaction of the log spares what has a former state, as every update has.
  const kind = kindOf(database).get({ revision })?.kind ?? CHANGE.stored;
  return kind === CHANGE.stored ? 'stored' : 'updated';
}
