import { prepared, queries, type SqliteDatabase } from './database.ts';
import type { ReembeddingTable } from './schema.ts';

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

/** To be called when a memory gets another text: its new vector, if it has one already, is of the former one. */
export function redoVector(database: SqliteDatabase, namespaceKey: number, pk: number): void {
  const row = reembeddingOf(database).get({ namespace_key: namespaceKey });
  if (row && pk <= row.cursor) putRedo(database).run({ pk });
}
