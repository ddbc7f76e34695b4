import { isDeepStrictEqual } from 'node:util';
import type { Embedding, Memory } from '../../memory/memory.ts';
import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import { type EmbeddingState, nextEmbeddingState, type VectorWrite } from '../embedding-state.ts';
import { hasSnapshots } from './agents/snapshot-rows.ts';
import type { Changes } from './changes.ts';
import { type ContentValues, contentValues } from './content-columns.ts';
import { formerStateOf, type WithoutVector } from './former-state.ts';
import { wordsOfMemory } from './insert-memory.ts';
import { bodyColumns, type FieldColumns, fieldColumns } from './memory-columns.ts';
import {
  deleteVectors,
  dequeueEmbedding,
  enqueueEmbedding,
  setBodyRow,
  setVectorRow,
  updateMemoryRow,
} from './memory-rows.ts';
import type { NamespaceRow } from './namespace-rows.ts';
import { redoVector } from './reembedding-rows.ts';
import { stateNumber } from './rows.ts';
import { eraseTags, writeTags } from './write-tags.ts';

export interface Change {
  readonly pk: number;
  readonly before: Memory;
  readonly after: Memory;
  readonly state: EmbeddingState;
  readonly vector: VectorWrite;
  readonly dropsFormer?: boolean;
  readonly atUs: number;
}

/** Brings a memory into a new state in all tables and keeps the former one in the change log; gives the revision. */
export function changeMemory(changes: Changes, namespace: NamespaceRow, change: Change): number {
  const { pk, before, after, atUs } = change;
  const { database } = changes;
  const former = change.dropsFormer ? {} : { former: formerStateOf(before, vectorToKeep(changes, namespace, change)) };
  const revision = changes.log.append('updated', { namespaceKey: namespace.key, pk, id: after.id, atUs, ...former });
  if (before.checksum !== after.checksum) redoVector(database, namespace.key, pk);
  const state = changeVector(changes, namespace, change);
  const contentFields = changeContent(changes, namespace.key, change);
  const body = bodyColumns(after);
  const isBodyOther = Object.keys(differences(bodyColumns(before), body)).length > 0;
  const [formerFields, fields] = [fieldColumns(before), fieldColumns(after)];
  const namespace_key = namespace.key;
  changes.totals.replace({ ...formerFields, namespace_key }, { ...fields, namespace_key });
  updateMemoryRow(database, pk, {
    ...differences(formerFields, fields),
    ...contentFields,
    ...(isBodyOther && { stored_bytes: fields.content_bytes }),
    embedding_state: stateNumber(state),
    revision,
  });
  if (isBodyOther) setBodyRow(database).run({ pk, ...body });
  if (isFoundByOtherWords(before, after)) changes.words.replace(pk, wordsOfMemory(namespace.key, after));
  return revision;
}

/** The vector before, where snapshots may show it and it does not stay. */
function vectorToKeep(
  { database }: Changes,
  { key }: NamespaceRow,
  { before, state, vector }: Change,
): Embedding | WithoutVector | undefined {
  const goes = state === 'there' && nextEmbeddingState(state, vector) !== 'there';
  if (!(goes || vector.embedding) || !hasSnapshots(database, key)) return undefined;
  const stays = !goes && isDeepStrictEqual(before.embedding?.values, vector.embedding?.values);
  return stays ? undefined : (before.embedding ?? (state === 'pending' ? 'pending' : 'none'));
}

function isFoundByOtherWords(before: Memory, after: Memory): boolean {
  if (before.text !== after.text || before.eventAtUs !== after.eventAtUs) return true;
  return before.source.speaker !== after.source.speaker;
}

function changeContent(
  changes: Changes,
  namespaceKey: number,
  { pk, before, after }: Change,
): Partial<ContentValues['columns']> {
  if (before.tags !== after.tags) {
    eraseTags(changes, namespaceKey, pk, before.tags);
    writeTags(changes, namespaceKey, pk, after.tags);
  }
  if (before.content === after.content) return {};
  const { columns, terms } = contentValues(changes, namespaceKey, after.content);
  changes.values.replace(pk, terms);
  return columns;
}

/** Gives the state after it. */
function changeVector(changes: Changes, namespace: NamespaceRow, { pk, state, vector, atUs }: Change): EmbeddingState {
  const { database } = changes;
  const next = nextEmbeddingState(state, vector);
  if (vector.embedding) {
    changes.admitEmbedding(namespace, vector.embedding);
    setVectorRow(database).run({ pk: pk * namespace.vector_sign, data: vectorToBytes(vector.embedding.values) });
  } else if (state === 'there' && next !== 'there') deleteVectors(database, pk);
  if (vector.embeddingPending && next === 'pending') enqueueEmbedding(database).run({ pk, not_before_us: atUs });
  else if (state === 'pending' && next !== 'pending') dequeueEmbedding(database).run({ pk });
  return next;
}

function differences<C extends FieldColumns | object>(before: C, after: C): Partial<C> {
  const changed: Partial<C> = {};
  for (const name of Object.keys(after) as (keyof C)[]) if (before[name] !== after[name]) changed[name] = after[name];
  return changed;
}
