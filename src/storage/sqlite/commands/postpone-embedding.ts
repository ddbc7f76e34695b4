import type { Changes } from '../changes.ts';
import { prepared, queries } from '../prepared.ts';
import type { Commands } from './command.ts';

const postponeRow = prepared((p: { namespace: string; id: string; attempts: number; not_before_us: number }) =>
  queries
    .updateTable('embedding_queue')
    .set({ attempts: p.attempts, not_before_us: p.not_before_us })
    .where('pk', '=', (eb) =>
      eb
        .selectFrom('memory')
        .innerJoin('namespace', 'namespace.key', 'memory.namespace_key')
        .select('memory.pk')
        .where('namespace.name', '=', p.namespace)
        .where('memory.id', '=', p.id),
    ),
);

export function postponeEmbedding(changes: Changes, write: Commands['postponeEmbedding']['write']): undefined {
  for (const { namespace, id, attempts } of write.items) {
    postponeRow(changes.database).run({ namespace, id, attempts: attempts + 1, not_before_us: write.notBeforeUs });
  }
}
