import type { Micros } from '../../../memory/memory.ts';
import { vectorToBytes } from '../../../memory/resolution/plain-vector.ts';
import { checkEmbedding } from '../../changed-memory.ts';
import type { ReembeddedVector, ReembeddingStore } from '../../reembedding-store.ts';
import type { Changes } from '../changes.ts';
import { prepared, queries } from '../database.ts';
import { deleteVectorKey, dequeueEmbedding, setVectorRow, updateMemoryRow } from '../memory-rows.ts';
import {
  endRedo,
  endRedosIn,
  endReembedding,
  memoryBehind,
  type NamespaceRow,
  putRedo,
  putReembedding,
  redoIn,
  reembeddingOf,
} from '../namespace-rows.ts';
import { CHECKSUM_OF_BODY, stateNumber } from '../rows.ts';
import { type ReembeddingTable, rowKeyRange } from '../schema.ts';

const withoutVector = prepared((p: { namespace_key: number }) =>
  queries
    .selectFrom('memory')
    .innerJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select('memory.pk')
    .where('namespace_key', '=', p.namespace_key)
    .where('embedding_state', '<>', stateNumber('there'))
    .where('text', '<>', '')
    .limit(1),
);
const checksumOf = prepared((p: { pk: number }) =>
  queries
    .selectFrom('memory')
    .leftJoin('memory_body', 'memory_body.pk', 'memory.pk')
    .select(CHECKSUM_OF_BODY)
    .where('memory.pk', '=', p.pk),
);
const cancelErasure = prepared((p: { key: number }) =>
  queries.deleteFrom('vector_erasure').where('namespace_key', '=', p.key),
);
const leaveVectors = prepared((p: { key: number; sign: number }) =>
  queries.replaceInto('vector_erasure').values({ namespace_key: p.key, sign: p.sign }),
);
const useSpace = prepared((p: { key: number; model: string; dimension: number; sign: number }) =>
  queries
    .updateTable('namespace')
    .set({ embedding_model: p.model, embedding_dimension: p.dimension, vector_sign: p.sign })
    .where('key', '=', p.key),
);

export function beginReembedding(
  changes: Changes,
  { namespace: name, model, dimension, atUs }: Parameters<ReembeddingStore['beginReembedding']>[0],
): boolean {
  const { database } = changes;
  const { key, embedding_model, embedding_dimension } = changes.namespace(name);
  const row = reembeddingOf(database).get({ namespace_key: key });
  // 0 stands for an unknown dimension.
  const fits = (other: number) => dimension === 0 || other === 0 || other === dimension;
  if (row?.model === model && fits(row.dimension)) return true;
  const isOfSpace = embedding_model === model && fits(embedding_dimension);
  if (!row && isOfSpace && !withoutVector(database).get({ namespace_key: key })) return false;
  // Old vectors of the space are overwritten, as every memory is processed: they need not be erased first.
  cancelErasure(database).run({ key });
  endRedosIn(database).run(rowKeyRange(key));
  putReembedding(database).run({
    namespace_key: key,
    model,
    dimension: 0,
    cursor: rowKeyRange(key).first,
    done_count: 0,
    total_count: changes.counts.of(key),
    started_at_us: atUs,
  });
  return true;
}

export function setReembedded(
  changes: Changes,
  { namespace: name, model, vectors }: { namespace: string; model: string; vectors: readonly ReembeddedVector[] },
): undefined {
  const namespace = changes.namespace(name);
  const row = reembeddingOf(changes.database).get({ namespace_key: namespace.key });
  if (row?.model !== model) return undefined;
  let { cursor, dimension } = row;
  let doneCount = row.done_count;
  for (const vector of vectors) {
    dimension ||= vector.values?.length ?? 0;
    if (vector.values) checkEmbedding({ name, model, dimension }, { model, values: vector.values });
    if (vector.key > cursor) doneCount++;
    cursor = Math.max(cursor, vector.key);
    setOne(changes, namespace, vector);
  }
  putReembedding(changes.database).run({ ...row, cursor, dimension, done_count: doneCount });
  return undefined;
}

function setOne(
  { database }: Changes,
  { vector_sign }: NamespaceRow,
  { key, checksum, values }: ReembeddedVector,
): void {
  endRedo(database).run({ pk: key });
  const now = checksumOf(database).get({ pk: key });
  if (!now) return;
  if (now.checksum !== checksum) {
    putRedo(database).run({ pk: key });
    return;
  }
  const pk = -vector_sign * key;
  if (values) setVectorRow(database).run({ pk, data: vectorToBytes(values) });
  else deleteVectorKey(database).run({ pk });
  dequeueEmbedding(database).run({ pk: key });
  updateMemoryRow(database, key, { embedding_state: stateNumber(values ? 'there' : 'none') });
}

export function finishReembedding(
  changes: Changes,
  { namespace: name, model, atUs }: { namespace: string; model: string; atUs: Micros },
): boolean {
  const { database } = changes;
  const { key, vector_sign: sign } = changes.namespace(name);
  const row = reembeddingOf(database).get({ namespace_key: key });
  if (row?.model !== model) return true;
  if (!isThrough(changes, row)) return false;
  const hasVectors = row.dimension > 0;
  useSpace(database).run({ key, model: hasVectors ? model : '', dimension: row.dimension, sign: -sign });
  endReembedding(database).run({ namespace_key: key });
  leaveVectors(database).run({ key, sign });
  changes.forgetNamespace(name);
  changes.log.append('vectorsReplaced', { namespaceKey: key, id: name, atUs });
  return true;
}

function isThrough({ database }: Changes, { namespace_key, cursor }: ReembeddingTable): boolean {
  const { first, last } = rowKeyRange(namespace_key);
  return !redoIn(database).get({ first, last }) && !memoryBehind(database).get({ cursor, last });
}
