import type { Reembedding, ReembeddingText } from '../../reembedding-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { namespaceOf } from '../namespace-rows.ts';
import { withWholeText } from '../packed-text.ts';
import { prepared, queries } from '../prepared.ts';
import { reembeddingOf } from '../reembedding-rows.ts';
import { rowKeyRange } from '../schema.ts';

const allRows = prepared((_: object) =>
  queries
    .selectFrom('reembedding')
    .innerJoin('namespace', 'namespace.key', 'reembedding.namespace_key')
    .select([
      'namespace.name as namespace',
      'namespace.embedding_model as fromModel',
      'reembedding.model as toModel',
      'done_count as doneCount',
      'total_count as totalCount',
      'started_at_us as startedAtUs',
    ])
    .orderBy('started_at_us')
    .orderBy('namespace.name'),
);
const TEXT_COLUMNS = ['memory_body.pk as key', 'checksum', 'text', 'packed'] as const;
const changedTexts = prepared((p: { first: number; last: number; limit: number }) =>
  queries
    .selectFrom('reembedding_redo')
    .innerJoin('memory_body', 'memory_body.pk', 'reembedding_redo.pk')
    .select(TEXT_COLUMNS)
    .where('reembedding_redo.pk', '>=', p.first)
    .where('reembedding_redo.pk', '<=', p.last)
    .orderBy('reembedding_redo.pk')
    .limit(p.limit),
);
const textsBehind = prepared((p: { cursor: number; last: number; limit: number }) =>
  queries
    .selectFrom('memory_body')
    .select(TEXT_COLUMNS)
    .where('pk', '>', p.cursor)
    .where('pk', '<=', p.last)
    .orderBy('pk')
    .limit(p.limit),
);

export function reembeddings(database: SqliteDatabase): Reembedding[] {
  return allRows(database).all({});
}

/** Those behind the cursor first: what changed is done last, when it may have changed again. */
export function reembeddingBatch(
  database: SqliteDatabase,
  { namespace, limit }: { namespace: string; limit: number },
): ReembeddingText[] {
  const { key } = namespaceOf(database, namespace);
  const row = reembeddingOf(database).get({ namespace_key: key });
  if (!row) return [];
  const { first, last } = rowKeyRange(key);
  const behind = textsBehind(database).all({ cursor: row.cursor, last, limit });
  const rows = behind.length > 0 ? behind : changedTexts(database).all({ first, last, limit });
  return rows.map(withWholeText);
}
