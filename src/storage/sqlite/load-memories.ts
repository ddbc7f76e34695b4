import type { Entry } from '../rules/draft.ts';
import type { Changes } from './changes.ts';
import { prepared, queries } from './database.ts';
import { readWholeRow } from './memory-rows.ts';
import type { NamespaceRow } from './namespace-rows.ts';
import { MEMORY_COLUMNS, memoryOfFields, memoryOrRest, stateOf } from './rows.ts';
import { rowKey, sequenceOf } from './schema.ts';

/** Reads of a memory what a write needs; `undefined` where there is none. */
export type Load = (changes: Changes, namespace: NamespaceRow, id: string) => Entry | undefined;

const fieldsById = prepared((p: { namespace_key: number; id: string }) =>
  queries
    .selectFrom('memory')
    .select([...MEMORY_COLUMNS, 'tier_since_us'])
    .where('namespace_key', '=', p.namespace_key)
    .where('id', '=', p.id),
);
const checksumOf = prepared((p: { pk: number }) =>
  queries.selectFrom('memory_body').select('checksum').where('pk', '=', p.pk),
);
const queued = prepared((p: { pk: number }) =>
  queries.selectFrom('embedding_queue').select(['attempts', 'not_before_us']).where('pk', '=', p.pk),
);

type FieldsRow = NonNullable<ReturnType<ReturnType<typeof fieldsById>['get']>>;

/** The memory without its body and vector, whose damage is not seen. */
export function loadFields({ database }: Changes, namespace: NamespaceRow, id: string): Entry | undefined {
  const row = fieldsById(database).get({ namespace_key: namespace.key, id });
  return row && entryOf(row, memoryOfFields(namespace.name, row));
}

/** The same with the checksum, which is empty where the body is lost. */
export function loadChecksum(changes: Changes, namespace: NamespaceRow, id: string): Entry | undefined {
  const entry = loadFields(changes, namespace, id);
  if (!entry) return undefined;
  const pk = rowKey(namespace.key, entry.sequence);
  const checksum = checksumOf(changes.database).get({ pk })?.checksum ?? '';
  return { ...entry, memory: { ...entry.memory, checksum } };
}

/** All of the memory; damaged bytes are left out. */
export function loadWhole({ database }: Changes, namespace: NamespaceRow, id: string): Entry | undefined {
  const row = fieldsById(database).get({ namespace_key: namespace.key, id });
  if (!row) return undefined;
  const whole = readWholeRow(database, row.pk);
  if (!whole) throw new Error(`memory ${row.pk} has no row`);
  const { memory, isDamaged } = memoryOrRest(namespace.name, whole);
  const entry = entryOf(row, memory);
  const wait = entry.state === 'pending' ? queued(database).get({ pk: row.pk }) : undefined;
  return {
    ...entry,
    ...(wait && { attempts: wait.attempts, notBeforeUs: wait.not_before_us }),
    ...(isDamaged && { isDamaged }),
  };
}

function entryOf(row: Pick<FieldsRow, 'pk' | 'embedding_state' | 'tier_since_us'>, memory: Entry['memory']): Entry {
  return {
    memory,
    sequence: sequenceOf(row.pk),
    state: stateOf(row.embedding_state),
    attempts: 0,
    notBeforeUs: 0,
    tierSinceUs: row.tier_since_us,
    change: 'stored',
    past: [],
  };
}
