import { keepForSnapshots } from './agents/snapshot-rows.ts';
import type { Changes } from './changes.ts';
import { deleteBodyRow, deleteMemoryRow, deleteVectors, dequeueEmbedding } from './memory-rows.ts';
import { prepared, queries } from './prepared.ts';
import { endRedo } from './reembedding-rows.ts';
import { eraseTags } from './write-tags.ts';

const tagsOf = prepared((p: { pk: number }) => queries.selectFrom('memory_body').select('tags').where('pk', '=', p.pk));

/** Erases a memory from all tables, with its former states; snapshots of its agent keep what they show. */
export function eraseMemory(changes: Changes, namespaceKey: number, pk: number): void {
  const { database } = changes;
  keepForSnapshots(database, namespaceKey, pk);
  const tags = tagsOf(database).get({ pk })?.tags ?? '[]';
  eraseTags(changes, namespaceKey, pk, JSON.parse(tags) as string[]);
  changes.totals.remove(pk);
  deleteMemoryRow(database).run({ pk });
  deleteBodyRow(database).run({ pk });
  deleteVectors(database, pk);
  endRedo(database).run({ pk });
  dequeueEmbedding(database).run({ pk });
  changes.log.forget(pk);
  changes.counts.add(namespaceKey, -1);
  changes.words.replace(pk, undefined);
  changes.values.replace(pk, undefined);
}
