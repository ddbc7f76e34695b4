import { namespaceNotFound } from '../../memory/errors.ts';
import type { Namespace } from '../records.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import type { NamespaceTable, ReembeddingTable } from './schema.ts';

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

export const reembeddingOf = prepared((p: { namespace_key: number }) =>
  queries.selectFrom('reembedding').selectAll().where('namespace_key', '=', p.namespace_key),
);
export const putReembedding = prepared((p: ReembeddingTable) =>
  queries.replaceInto('reembedding').values({
    namespace_key: p.namespace_key,
    model: p.model,
    dimension: p.dimension,
    cursor: p.cursor,
    done_count: p.done_count,
    total_count: p.total_count,
    started_at_us: p.started_at_us,
  }),
);
export const endReembedding = prepared((p: { namespace_key: number }) =>
  queries.deleteFrom('reembedding').where('namespace_key', '=', p.namespace_key),
);
export const putRedo = prepared((p: { pk: number }) => queries.replaceInto('reembedding_redo').values({ pk: p.pk }));
export const endRedo = prepared((p: { pk: number }) => queries.deleteFrom('reembedding_redo').where('pk', '=', p.pk));
export const endRedosIn = prepared((p: { first: number; last: number }) =>
  queries.deleteFrom('reembedding_redo').where('pk', '>=', p.first).where('pk', '<=', p.last),
);
export const redoIn = prepared((p: { first: number; last: number }) =>
  queries.selectFrom('reembedding_redo').select('pk').where('pk', '>=', p.first).where('pk', '<=', p.last).limit(1),
);
export const memoryBehind = prepared((p: { cursor: number; last: number }) =>
  queries.selectFrom('memory').select('pk').where('pk', '>', p.cursor).where('pk', '<=', p.last).limit(1),
);
export const eraseVectorsIn = prepared((p: { first: number; last: number; limit: number }) =>
  queries
    .deleteFrom('memory_vector')
    .where('pk', 'in', (eb) =>
      eb
        .selectFrom('memory_vector')
        .select('pk')
        .where('pk', '>=', p.first)
        .where('pk', '<=', p.last)
        .orderBy('pk')
        .limit(p.limit),
    ),
);

/** To be called when the text of a memory changes: its vector in the new space, if any, is of the former text. */
export function redoVector(database: SqliteDatabase, namespaceKey: number, pk: number): void {
  const row = reembeddingOf(database).get({ namespace_key: namespaceKey });
  if (row && pk <= row.cursor) putRedo(database).run({ pk });
}
