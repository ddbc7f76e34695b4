import type { Micros } from '../../../memory/memory.ts';
import type { PendingEmbedding } from '../../records.ts';
import type { Reembedding, ReembeddingText } from '../../reembedding-store.ts';
import { prepared, queries, type SqliteDatabase } from '../database.ts';
import { namespaceOf, reembeddingOf } from '../namespace-rows.ts';
import { CHECKSUM_OF_BODY, recallText } from '../rows.ts';
import { rowKeyRange } from '../schema.ts';

interface TextRow {
  readonly checksum: string;
  readonly text: string | null;
  readonly packed: Uint8Array | null;
}

/** A text that is lost or damaged is embedded as far as it is readable: reads of its memory report the damage. */
function embeddable<R extends TextRow>({ text, packed, ...row }: R): Omit<R, 'text' | 'packed'> & { text: string } {
  return { ...row, text: recallText({ text: text ?? '', packed }).whole };
}

const dueRows = prepared((p: { now_us: number; limit: number }) =>
  queries
    .selectFrom('embedding_queue')
    .innerJoin('memory', 'memory.pk', 'embedding_queue.pk')
    .leftJoin('memory_body', 'memory_body.pk', 'embedding_queue.pk')
    .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
    .select(['namespace.name as namespace', 'memory.id', CHECKSUM_OF_BODY, 'text', 'packed', 'attempts'])
    .where('not_before_us', '<=', p.now_us)
    .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.now_us)]))
    .orderBy('not_before_us')
    .orderBy('embedding_queue.pk')
    .limit(p.limit),
);

export function pendingEmbeddings(
  database: SqliteDatabase,
  { limit, nowUs }: { limit: number; nowUs: Micros },
): PendingEmbedding[] {
  return dueRows(database).all({ now_us: nowUs, limit }).map(embeddable);
}

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
const TEXT_COLUMNS = ['memory.pk as key', 'memory.id', CHECKSUM_OF_BODY, 'text', 'packed'] as const;
const changedTexts = prepared((p: { first: number; last: number; limit: number }) =>
  queries
    .selectFrom('reembedding_redo')
    .innerJoin('memory', 'memory.pk', 'reembedding_redo.pk')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(TEXT_COLUMNS)
    .where('reembedding_redo.pk', '>=', p.first)
    .where('reembedding_redo.pk', '<=', p.last)
    .orderBy('reembedding_redo.pk')
    .limit(p.limit),
);
const textsBehind = prepared((p: { cursor: number; last: number; limit: number }) =>
  queries
    .selectFrom('memory')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(TEXT_COLUMNS)
    .where('memory.pk', '>', p.cursor)
    .where('memory.pk', '<=', p.last)
    .orderBy('memory.pk')
    .limit(p.limit),
);

export function reembeddings(database: SqliteDatabase): Reembedding[] {
  return allRows(database).all({});
}

/** Memories after the cursor first: changed memories come last, as they may change again. */
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
  return rows.map(embeddable);
}

const expiredRows = prepared((p: { now_us: number; limit: number }) =>
  queries
    .selectFrom('memory')
    .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
    .select(['namespace.name as namespace', 'memory.id'])
    .where('expires_at_us', '<=', p.now_us)
    .orderBy('expires_at_us')
    .limit(p.limit),
);

/** Ids of memories that have expired, longest ago first, by namespace. */
export function expiredMemories(
  database: SqliteDatabase,
  { limit, nowUs }: { limit: number; nowUs: Micros },
): { namespace: string; ids: string[] }[] {
  const byNamespace = new Map<string, string[]>();
  for (const { namespace, id } of expiredRows(database).all({ now_us: nowUs, limit })) {
    const ids = byNamespace.get(namespace);
    if (ids) ids.push(id);
    else byNamespace.set(namespace, [id]);
  }
  return [...byNamespace].map(([namespace, ids]) => ({ namespace, ids }));
}
