import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import { nextEmbeddingState } from '../embedding-state.ts';
import type { NewMemory } from '../memory-store.ts';
import type { Changes } from './changes.ts';
import { contentValues } from './content-columns.ts';
import { bodyColumns, fieldColumns } from './memory-columns.ts';
import { enqueueEmbedding, insertBodyRow, insertMemoryRow, setVectorRow } from './memory-rows.ts';
import type { NamespaceRow } from './namespace-rows.ts';
import { stateNumber } from './rows.ts';
import { rowKey } from './schema.ts';
import { wordColumns } from './word-terms.ts';
import { writeTags } from './write-tags.ts';

/** Writes a memory that is not there into all tables; gives its revision. A copy of another store keeps what `as` says. */
export function insertMemory(
  changes: Changes,
  namespace: NamespaceRow,
  sequence: number,
  memory: NewMemory,
  atUs: number,
  as?: { readonly revision: number; readonly tierSinceUs: number },
): number {
  const { database } = changes;
  const pk = rowKey(namespace.key, sequence);
  if (memory.embedding) changes.admitEmbedding(namespace, memory.embedding);
  const revision = changes.log.append('stored', { namespaceKey: namespace.key, pk, id: memory.id, atUs });
  const { columns, terms } = contentValues(changes, namespace.key, memory.content);
  const fields = fieldColumns(memory);
  insertMemoryRow(database, {
    ...fields,
    stored_bytes: fields.content_bytes,
    pk,
    namespace_key: namespace.key,
    tier_since_us: as?.tierSinceUs ?? atUs,
    ...columns,
    embedding_state: stateNumber(nextEmbeddingState('none', memory)),
    revision: as?.revision ?? revision,
  });
  insertBodyRow(database).run({ pk, ...bodyColumns(memory) });
  writeTags(changes, namespace.key, pk, memory.tags);
  if (memory.embedding)
    setVectorRow(database).run({ pk: pk * namespace.vector_sign, data: vectorToBytes(memory.embedding.values) });
  else if (memory.embeddingPending) enqueueEmbedding(database).run({ pk, not_before_us: atUs });
  changes.counts.add(namespace.key, 1);
  changes.totals.add({ ...fields, namespace_key: namespace.key });
  changes.words.add(pk, wordsOfMemory(namespace.key, memory));
  if (terms !== undefined) changes.values.add(pk, terms);
  return revision;
}

export function wordsOfMemory(
  namespaceKey: number,
  { text, source, eventAtUs }: Pick<NewMemory, 'text' | 'source' | 'eventAtUs'>,
) {
  return wordColumns(namespaceKey, { text, speaker: source.speaker, eventAtUs });
}
