import { sql } from '#kysely';
import { isDamage, memoryNotFound } from '../../../memory/errors.ts';
import type { Memory, MemoryView, Micros } from '../../../memory/memory.ts';
import type { PastState } from '../../records.ts';
import { memoryOfFormerState } from '../../rules/former-state.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { BODY_COLUMNS, MEMORY_COLUMNS, memoryFromRow, storedVector, vectorKey, WIDE_COLUMNS } from '../rows.ts';

interface Key {
  namespace: string;
  id: string;
  now_us: number;
}

const rowsByName = (p: Key) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
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
      .select([...WIDE_COLUMNS, storedVector, 'memory_vector.small', 'namespace.embedding_model as model']),
  ),
} as const;

/** The memories in the order of `ids`, `undefined` for missing ids. Fails with NAMESPACE_NOT_FOUND. */
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
  // Only a missing memory makes it necessary to check that the namespace exists.
  if (memories.length === 0 || memories.includes(undefined)) namespaceOf(database, namespace);
  return memories;
}

/** For an unreadable state: the revision before that of the entry that replaced it. */
const formerRevision = sql<number>`CASE WHEN json_valid(former) THEN json_extract(former, '$.revision')
  ELSE ifnull(origin, revision) - 1 END`;
/** By the revision of the state: in a memory from another store it differs from that of the log entry. */
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
  // One state more than requested shows whether the last one is the state that was stored first.
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

/** A state, or its placeholder where its bytes are damaged. */
function readState(read: () => Memory, rest: () => Memory): Pick<PastState, 'memory' | 'isDamaged'> {
  try {
    return { memory: read() };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { memory: rest(), isDamaged: true };
  }
}

/** The row of an existing memory, expired or not. */
const memoryKey = prepared((p: { namespace: string; id: string }) =>
  queries
    .selectFrom('namespace')
    .innerJoin('memory', 'memory.namespace_key', 'namespace.key')
    .select('memory.pk')
    .where('namespace.name', '=', p.namespace)
    .where('memory.id', '=', p.id),
);
