import { namespaceNotFound } from '../../memory/errors.ts';
import type { Namespace } from '../memory-store.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import type { NamespaceTable } from './schema.ts';

export type NamespaceRow = Omit<NamespaceTable, 'key'> & { readonly key: number };

const namespaceByName = prepared((p: { name: string }) =>
  queries.selectFrom('namespace').selectAll().where('name', '=', p.name),
);
const namespacesAfter = prepared((p: { name: string; limit: number }) =>
  queries.selectFrom('namespace').selectAll().where('name', '>', p.name).orderBy('name').limit(p.limit),
);

const settingsOf = prepared((p: { key: number }) =>
  queries.selectFrom('tier_setting').select(['key', 'value']).where('namespace_key', '=', p.key).orderBy('key'),
);

export function readNamespace(database: SqliteDatabase, name: string): NamespaceRow | undefined {
  return namespaceByName(database).get({ name });
}

/** Fails with NAMESPACE_NOT_FOUND. */
export function namespaceOf(database: SqliteDatabase, name: string): NamespaceRow {
  const row = readNamespace(database, name);
  if (!row) throw namespaceNotFound(name);
  return row;
}

export function readNamespaces(database: SqliteDatabase, afterName: string, limit: number): Namespace[] {
  return namespacesAfter(database)
    .all({ name: afterName, limit })
    .map((row) => namespaceFromRow(database, row));
}

export function namespaceFromRow(database: SqliteDatabase, row: NamespaceRow): Namespace {
  return {
    name: row.name,
    description: row.description,
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
    embeddingModel: row.embedding_model,
    embeddingDimension: row.embedding_dimension,
    memoryLimit: row.memory_limit,
    settings: Object.fromEntries(
      settingsOf(database)
        .all({ key: row.key })
        .map(({ key, value }) => [key, value]),
    ),
    revision: row.revision,
  };
}
