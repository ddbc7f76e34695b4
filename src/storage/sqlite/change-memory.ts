import { isDeepStrictEqual } from 'node:util';
import { parsedContent } from '../../memory/derive-text.ts';
import type { Content, Embedding, Memory } from '../../memory/memory.ts';
import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import { rewardIn, surpriseIn } from '../../memory/tier-policy.ts';
import { valuesOf } from '../../memory/values.ts';
import { type EmbeddingState, nextEmbeddingState, type VectorWrite } from '../embedding-state.ts';
import type { NewMemory } from '../memory-store.ts';
import { formerStateOf, type WithoutVector } from '../rules/former-state.ts';
import { hasSnapshots, keepForSnapshots } from './agents/snapshot-rows.ts';
import type { Changes, TierShare } from './changes.ts';
import { prepared, queries } from './database.ts';
import {
  deleteBodyRow,
  deleteMemoryRow,
  deleteVectors,
  dequeueEmbedding,
  enqueueEmbedding,
  insertBodyRow,
  insertMemoryRow,
  setBodyRow,
  setVectorRow,
  updateMemoryRow,
} from './memory-rows.ts';
import { endRedo, type NamespaceRow, redoVector } from './namespace-rows.ts';
import { bodyColumns, type FieldColumns, fieldColumns, stateNumber } from './rows.ts';
import { type MemoryTable, rowKey } from './schema.ts';
import { valueTerm } from './value-terms.ts';
import type { WordSource } from './word-index.ts';
import type { WrittenTerms } from './written-terms.ts';

export interface Change {
  readonly pk: number;
  readonly before: Memory;
  readonly after: Memory;
  readonly state: EmbeddingState;
  readonly vector: VectorWrite;
  readonly dropsFormer?: boolean;
  readonly atUs: number;
}

/** Writes a new state of a memory into all tables and its former state into the change log; returns the revision. */
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
  changes.totals.replace(shareOf(namespace.key, formerFields), shareOf(namespace.key, fields));
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

/** The vector before the change, where a snapshot may show it and the change replaces it. */
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

/** Returns the state after the change. */
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

/**
 * Inserts a new memory into all tables and returns its revision. For a copy from another store, `as` holds its state.
 */
export function insertMemory(
  changes: Changes,
  namespace: NamespaceRow,
  sequence: number,
  memory: NewMemory,
  atUs: number,
  as?: {
    readonly revision: number;
    readonly tierSinceUs: number;
    /** The log has the entries of the memory already. */
    readonly isLogged?: boolean;
  },
): number {
  const { database } = changes;
  const pk = rowKey(namespace.key, sequence);
  if (memory.embedding) changes.admitEmbedding(namespace, memory.embedding);
  const revision = as?.isLogged
    ? as.revision
    : changes.log.append('stored', { namespaceKey: namespace.key, pk, id: memory.id, atUs });
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
    is_settled: changes.upkeep.mayWait ? 0 : 1,
  });
  insertBodyRow(database).run({ pk, ...bodyColumns(memory) });
  writeTags(changes, namespace.key, pk, memory.tags);
  if (memory.embedding)
    setVectorRow(database).run({ pk: pk * namespace.vector_sign, data: vectorToBytes(memory.embedding.values) });
  else if (memory.embeddingPending) enqueueEmbedding(database).run({ pk, not_before_us: atUs });
  changes.counts.add(namespace.key, 1);
  if (changes.upkeep.mayWait) changes.unsettled.add(pk);
  changes.totals.add(shareOf(namespace.key, fields));
  changes.words.add(pk, wordsOfMemory(namespace.key, memory));
  if (terms !== undefined) changes.values.add(pk, terms);
  return revision;
}

/** Adds the upkeep that a transaction has left for a new memory, from its row. `written` counts down: terms that are written. */
export function addUpkeepOf(
  changes: Changes,
  pk: number,
  memory: Pick<NewMemory, 'text' | 'source' | 'eventAtUs' | 'content'>,
  share: TierShare,
  written: WrittenTerms = { words: 0, values: 0 },
): void {
  changes.unsettled.add(pk);
  changes.totals.add(share);
  if (written.words > 0) written.words--;
  else changes.words.add(pk, wordsOfMemory(share.namespace_key, memory));
  const { terms } = contentValues(changes, share.namespace_key, memory.content);
  if (terms === undefined) return;
  if (written.values > 0) written.values--;
  else changes.values.add(pk, terms);
}

function shareOf(namespace_key: number, { tier, agent, type, content_bytes }: FieldColumns): TierShare {
  return { namespace_key, tier, agent, type, content_bytes };
}

function wordsOfMemory(
  namespaceKey: number,
  { text, source, eventAtUs }: Pick<NewMemory, 'text' | 'source' | 'eventAtUs'>,
): WordSource {
  return { namespaceKey, text, speaker: source.speaker, eventAtUs };
}

const tagsOf = prepared((p: { pk: number }) => queries.selectFrom('memory_body').select('tags').where('pk', '=', p.pk));

/** Erases a memory from all tables, with its former states. Snapshots of its agent keep their states of it. */
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

interface TagRow {
  namespace_key: number;
  pk: number;
  tag: string;
}

const addTag = prepared((p: TagRow) =>
  queries.insertInto('memory_tag').orIgnore().values({ namespace_key: p.namespace_key, tag: p.tag, pk: p.pk }),
);
const eraseTag = prepared((p: TagRow) =>
  queries
    .deleteFrom('memory_tag')
    .where('namespace_key', '=', p.namespace_key)
    .where('tag', '=', p.tag)
    .where('pk', '=', p.pk),
);

export function writeTags(changes: Changes, namespaceKey: number, pk: number, tags: readonly string[]): void {
  for (const tag of tags) addTag(changes.database).run({ namespace_key: namespaceKey, tag, pk });
}

function eraseTags(changes: Changes, namespaceKey: number, pk: number, tags: readonly string[]): void {
  for (const tag of tags) eraseTag(changes.database).run({ namespace_key: namespaceKey, tag, pk });
}

/** Values derived from JSON content. */
interface ContentValues {
  readonly columns: Pick<MemoryTable, 'values_partial' | 'reward' | 'surprise'>;
  /** Terms for the index of values; `undefined` for content without values. */
  readonly terms: string | undefined;
}

const NONE: ContentValues = { columns: { values_partial: 0, reward: 0, surprise: 0 }, terms: undefined };

/** Paths that are new in the namespace are written to their table. */
function contentValues(changes: Changes, namespaceKey: number, content: Content | undefined): ContentValues {
  const json = parsedContent(content);
  if (json === undefined) return NONE;
  const { values, partial } = valuesOf(json);
  let isPartial = partial;
  let terms: string | undefined;
  for (const { path, value } of values) {
    const prefix = changes.paths.prefixOf(namespaceKey, path);
    if (prefix === undefined) isPartial = true;
    else terms = `${terms === undefined ? '' : `${terms} `}${prefix}${valueTerm(value)}`;
  }
  const columns = { values_partial: isPartial ? 1 : 0, reward: rewardIn(json), surprise: surpriseIn(json) };
  return { columns, terms };
}
