import type { Changes } from '../changes.ts';
import { prepared, queries } from '../prepared.ts';
import type { Commands } from './command.ts';

const touchRow = prepared((p: { namespace_key: number; id: string; at_us: number }) =>
  queries
    .updateTable('memory')
    .set((eb) => ({
      retrieval_count: eb('retrieval_count', '+', 1),
      last_accessed_at_us: p.at_us,
      tier_since_us: eb.fn<number>('max', ['tier_since_us', eb.val(p.at_us)]),
    }))
    .where('namespace_key', '=', p.namespace_key)
    .where('id', '=', p.id)
    .where((eb) => eb.or([eb('expires_at_us', 'is', null), eb('expires_at_us', '>', p.at_us)]))
    .returning('pk'),
);

export function touch(changes: Changes, write: Commands['touch']['write']): { revision: number } {
  const { key: namespace_key } = changes.namespace(write.namespace);
  for (const id of write.ids) {
    const row = touchRow(changes.database).get({ namespace_key, id, at_us: write.atUs });
    if (row) changes.log.append('touched', { namespaceKey: namespace_key, pk: row.pk, id, atUs: write.atUs });
  }
  return { revision: changes.log.revision };
}
