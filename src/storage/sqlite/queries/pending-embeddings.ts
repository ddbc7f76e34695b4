import type { Micros } from '../../../memory/memory.ts';
import type { PendingEmbedding } from '../../memory-store.ts';
import type { SqliteDatabase } from '../database.ts';
import { withWholeText } from '../packed-text.ts';
import { prepared, queries } from '../prepared.ts';

const dueRows = prepared((p: { now_us: number; limit: number }) =>
  queries
    .selectFrom('embedding_queue')
    .innerJoin('memory', 'memory.pk', 'embedding_queue.pk')
    .innerJoin('memory_body', 'memory_body.pk', 'embedding_queue.pk')
    .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
    .select(['namespace.name as namespace', 'memory.id', 'checksum', 'text', 'packed', 'attempts'])
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
  return dueRows(database).all({ now_us: nowUs, limit }).map(withWholeText);
}
