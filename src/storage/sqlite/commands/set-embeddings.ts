import { vectorToBytes } from '../../../memory/resolution/plain-vector.ts';
import type { LateVector } from '../../memory-store.ts';
import type { Changes } from '../changes.ts';
import { dequeueEmbedding, setVectorRow, updateMemoryRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { prepared, queries } from '../prepared.ts';
import { stateNumber } from '../rows.ts';
import type { Commands } from './command.ts';

const waiting = prepared((p: { namespace_key: number; id: string; checksum: string }) =>
  queries
    .selectFrom('memory')
    .innerJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .innerJoin('embedding_queue', 'embedding_queue.pk', 'memory.pk')
    .select('memory.pk')
    .where('namespace_key', '=', p.namespace_key)
    .where('id', '=', p.id)
    .where('checksum', '=', p.checksum),
);

export function setEmbeddings(changes: Changes, write: Commands['setEmbeddings']['write']): { revision: number } {
  const namespace = changes.namespace(write.namespace);
  for (const vector of write.vectors) setOne(changes, namespace, vector, write.atUs);
  return { revision: changes.log.revision };
}

function setOne(
  changes: Changes,
  namespace: NamespaceRow,
  { id, checksum, embedding }: LateVector,
  atUs: number,
): void {
  const { database } = changes;
  const row = waiting(database).get({ namespace_key: namespace.key, id, checksum });
  if (!row) return;
  dequeueEmbedding(database).run(row);
  if (embedding) {
    changes.admitEmbedding(namespace, embedding);
    setVectorRow(database).run({ pk: row.pk * namespace.vector_sign, data: vectorToBytes(embedding.values) });
  }
  updateMemoryRow(database, row.pk, { embedding_state: stateNumber(embedding ? 'there' : 'none') });
  // The log is what tells the vector index of new vectors; a queue that got shorter is no news to it.
  if (embedding) changes.log.append('embedded', { namespaceKey: namespace.key, pk: row.pk, id, atUs });
}
