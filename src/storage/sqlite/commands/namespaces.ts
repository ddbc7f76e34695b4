import { MnemeError } from '../../../memory/errors.ts';
import { changedNamespace } from '../../changed-memory.ts';
import type { NamespaceOutcome, NamespaceUpdate, NamespaceWrite, SettingsWrite, Writes } from '../../records.ts';
import type { SeenKeyspaces } from '../../scope-policies.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { type NamespaceRow, namespaceFromRow } from '../namespace-rows.ts';

/** Keys of namespaces have 20 bits of a row key and are never reused. */
const KEY_MAX = 2 ** 20 - 1;

const insertRow = prepared((p: Omit<NamespaceRow, 'key'>) =>
  queries
    .insertInto('namespace')
    .values({
      name: p.name,
      description: p.description,
      memory_limit: p.memory_limit,
      embedding_model: p.embedding_model,
      embedding_dimension: p.embedding_dimension,
      next_sequence: p.next_sequence,
      created_at_us: p.created_at_us,
      updated_at_us: p.updated_at_us,
      revision: p.revision,
      vector_sign: p.vector_sign,
    })
    .returning('key'),
);
const setRevision = prepared((p: { key: number; revision: number }) =>
  queries.updateTable('namespace').set({ revision: p.revision }).where('key', '=', p.key),
);

export function createNamespace(changes: Changes, write: NamespaceWrite): NamespaceOutcome {
  if (changes.findNamespace(write.name)) {
    const name = `namespaces/${write.name}`;
    throw new MnemeError('NAMESPACE_EXISTS', `${name} already exists`, { metadata: { name } });
  }
  const row = insertNamespace(changes, write);
  writeTierSettings(changes, row.key, write.settings ?? []);
  const namespace = namespaceFromRow(changes.database, row);
  return { revision: namespace.revision, namespace };
}

export function insertNamespace(
  changes: Changes,
  { name, description, memoryLimit, atUs }: NamespaceWrite,
): NamespaceRow {
  const { key } =
    insertRow(changes.database).get({
      name,
      description,
      memory_limit: memoryLimit,
      embedding_model: '',
      embedding_dimension: 0,
      next_sequence: 1,
      created_at_us: atUs,
      updated_at_us: atUs,
      revision: 0,
      vector_sign: 1,
    }) ?? {};
  if (key === undefined || key > KEY_MAX)
    throw new Error(`this store has had all the ${KEY_MAX} namespaces it can have`);
  const revision = changes.log.append('namespaceCreated', { namespaceKey: key, id: name, atUs });
  setRevision(changes.database).run({ key, revision });
  return changes.namespace(name);
}

const putSetting = prepared((p: { namespace_key: number; key: string; value: string }) =>
  queries.replaceInto('tier_setting').values({ namespace_key: p.namespace_key, key: p.key, value: p.value }),
);
const dropSetting = prepared((p: { namespace_key: number; key: string }) =>
  queries.deleteFrom('tier_setting').where('namespace_key', '=', p.namespace_key).where('key', '=', p.key),
);
const putMaintained = prepared((p: { namespace_key: number; at_us: number }) =>
  queries.replaceInto('tier_maintenance').values({ namespace_key: p.namespace_key, at_us: p.at_us }),
);

/** Key of the settings that hold for all namespaces. */
export const ALL_NAMESPACES = 0;

export function setTierSettings(changes: Changes, write: SettingsWrite): undefined {
  const key = write.namespace === '' ? ALL_NAMESPACES : changes.namespace(write.namespace).key;
  writeTierSettings(changes, key, write.settings);
  return undefined;
}

export function writeTierSettings(
  { database }: Changes,
  namespace_key: number,
  settings: readonly (readonly [key: string, value: string | null])[],
): void {
  for (const [key, value] of settings) {
    if (value === null) dropSetting(database).run({ namespace_key, key });
    else putSetting(database).run({ namespace_key, key, value });
  }
}

export function setMaintained(changes: Changes, { namespace, atUs }: Writes['setMaintained']['write']): undefined {
  putMaintained(changes.database).run({ namespace_key: changes.namespace(namespace).key, at_us: atUs });
  return undefined;
}

const findEpoch = prepared((p: { key: string }) => queries.selectFrom('meta').select('value').where('key', '=', p.key));
const putEpoch = prepared((p: { key: string; value: string }) =>
  queries.replaceInto('meta').values({ key: p.key, value: p.value }),
);

const anyEpoch = prepared((_: object) =>
  queries
    .selectFrom('meta')
    .select('key')
    .where('key', 'like', `${keyOf('')}%`)
    .limit(1),
);

/** Whether the server of the folder has seen sessions in Redis. */
export function hasSeenKeyspaces(database: SqliteDatabase): boolean {
  return anyEpoch(database).get({}) !== undefined;
}

export function epochOfKeyspace(database: SqliteDatabase, keyspace: string): string | undefined {
  const row = findEpoch(database).get({ key: keyOf(keyspace) });
  return row && String(row.value);
}

export function seeKeyspace(
  { database }: Changes,
  { keyspace, epoch }: Parameters<SeenKeyspaces['see']>[0],
): undefined {
  putEpoch(database).run({ key: keyOf(keyspace), value: epoch });
  return undefined;
}

function keyOf(keyspace: string): string {
  return `keyspace:${keyspace}`;
}

const setRow = prepared(
  (p: { key: number; description: string; memory_limit: number; updated_at_us: number; revision: number }) =>
    queries
      .updateTable('namespace')
      .set({
        description: p.description,
        memory_limit: p.memory_limit,
        updated_at_us: p.updated_at_us,
        revision: p.revision,
      })
      .where('key', '=', p.key),
);

export function updateNamespace(changes: Changes, write: NamespaceUpdate): NamespaceOutcome {
  const row = changes.namespace(write.name);
  const after = changedNamespace(namespaceFromRow(changes.database, row), write);
  const revision = changes.log.append('namespaceUpdated', { namespaceKey: row.key, id: row.name, atUs: write.atUs });
  setRow(changes.database).run({
    key: row.key,
    description: after.description,
    memory_limit: after.memoryLimit,
    updated_at_us: after.updatedAtUs,
    revision,
  });
  writeTierSettings(changes, row.key, write.settings ?? []);
  changes.forgetNamespace(row.name);
  return { revision, namespace: { ...after, revision } };
}
