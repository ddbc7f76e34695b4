import { parsedContent } from '../../memory/derive-text.ts';
import type { Content, Embedding, Memory } from '../../memory/memory.ts';
import { vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import { rewardIn, surpriseIn } from '../../memory/tier-policy.ts';
import { valuesOf } from '../../memory/values.ts';
import type { NewMemory } from '../records.ts';
import type { Entry } from '../rules/draft.ts';
import { keepForSnapshots } from './agents/snapshot-rows.ts';
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
import { type BodyColumns, bodyColumns, type FieldColumns, fieldColumns, stateNumber } from './rows.ts';
import { type MemoryTable, rowKey } from './schema.ts';
import { valueTerm } from './value-terms.ts';
import type { WordSource } from './word-index.ts';
import type { WrittenTerms } from './written-terms.ts';

/** Writes the rows of a memory: it changes, is new, or is erased; another memory may take its id. */
export function writeEntry(
  changes: Changes,
  namespace: NamespaceRow,
  before: Entry | undefined,
  after: Entry | undefined,
): void {
  if (before && before.sequence === after?.sequence) changeMemory(changes, namespace, before, after);
  else {
    if (before) eraseMemory(changes, namespace.key, rowKey(namespace.key, before.sequence));
    if (after) insertMemory(changes, namespace, after);
  }
}

/** Writes what differs. Parts of the memory that were not loaded are absent on both sides. */
export function changeMemory(changes: Changes, namespace: NamespaceRow, before: Entry, after: Entry): void {
  const { database } = changes;
  const pk = rowKey(namespace.key, after.sequence);
  const [former, memory] = [before.memory, after.memory];
  if (former.checksum !== memory.checksum) redoVector(database, namespace.key, pk);
  changeVector(changes, namespace, before, after);
  const fields = fieldColumns(memory);
  const body = otherBody(before, memory);
  const columns = {
    ...differences(fieldColumns(former), fields),
    ...differences(stateColumns(before), stateColumns(after)),
    ...changeContent(changes, namespace.key, pk, [former, memory]),
    ...(body && { content_bytes: fields.content_bytes, stored_bytes: fields.content_bytes }),
  };
  changes.totals.change(pk, columns);
  if (hasAny(columns)) updateMemoryRow(database, pk, columns);
  if (body) setBodyRow(database).run({ pk, ...body });
  if (before.isDamaged || isFoundByOtherWords(former, memory))
    changes.words.replace(pk, wordsOfMemory(namespace.key, memory));
}

const BODY_FIELDS = ['text', 'textDerived', 'content', 'tags', 'source', 'checksum', 'compaction'] as const;

/** `undefined` where the body stays; a damaged one is replaced. */
function otherBody({ memory: before, isDamaged = false }: Entry, after: Memory): BodyColumns | undefined {
  if (!isDamaged && BODY_FIELDS.every((name) => before[name] === after[name])) return undefined;
  const body = bodyColumns(after);
  return isDamaged || hasAny(differences(bodyColumns(before), body)) ? body : undefined;
}

function stateColumns({ state, tierSinceUs, memory }: Entry) {
  return { embedding_state: stateNumber(state), tier_since_us: tierSinceUs, revision: memory.revision };
}

function differences<C extends object>(before: C, after: C): Partial<C> {
  const changed: Partial<C> = {};
  for (const name of Object.keys(after) as (keyof C)[]) if (before[name] !== after[name]) changed[name] = after[name];
  return changed;
}

function hasAny(columns: object): boolean {
  for (const _ in columns) return true;
  return false;
}

function isFoundByOtherWords(before: Memory, after: Memory): boolean {
  if (before.text !== after.text || before.eventAtUs !== after.eventAtUs) return true;
  return before.source.speaker !== after.source.speaker;
}

function changeContent(
  changes: Changes,
  namespaceKey: number,
  pk: number,
  [before, after]: readonly [Memory, Memory],
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

function changeVector(changes: Changes, namespace: NamespaceRow, before: Entry, after: Entry): void {
  const { database } = changes;
  const pk = rowKey(namespace.key, after.sequence);
  const { embedding } = after.memory;
  if (embedding && embedding !== before.memory.embedding) setVector(changes, namespace, pk, embedding);
  else if (before.state === 'there' && after.state !== 'there') deleteVectors(database, pk);
  if (after.state !== 'pending') {
    if (before.state === 'pending') dequeueEmbedding(database).run({ pk });
  } else if (before.state !== 'pending' || isQueuedOtherwise(before, after)) enqueue(changes, pk, after);
}

function isQueuedOtherwise(before: Entry, after: Entry): boolean {
  return before.notBeforeUs !== after.notBeforeUs || before.attempts !== after.attempts;
}

function setVector(changes: Changes, namespace: NamespaceRow, pk: number, embedding: Embedding): void {
  changes.admitEmbedding(namespace, embedding);
  setVectorRow(changes.database).run({ pk: pk * namespace.vector_sign, data: vectorToBytes(embedding.values) });
}

function enqueue({ database }: Changes, pk: number, { attempts, notBeforeUs }: Entry): void {
  enqueueEmbedding(database).run({ pk, attempts, not_before_us: notBeforeUs });
}

/** Inserts a new memory into all tables. */
export function insertMemory(changes: Changes, namespace: NamespaceRow, entry: Entry): void {
  const { database } = changes;
  const { memory } = entry;
  const pk = rowKey(namespace.key, entry.sequence);
  const { columns, terms } = contentValues(changes, namespace.key, memory.content);
  const fields = fieldColumns(memory);
  insertMemoryRow(database, {
    ...fields,
    stored_bytes: fields.content_bytes,
    pk,
    namespace_key: namespace.key,
    tier_since_us: entry.tierSinceUs,
    ...columns,
    embedding_state: stateNumber(entry.state),
    revision: memory.revision,
    is_settled: changes.upkeep.mayWait ? 0 : 1,
  });
  insertBodyRow(database).run({ pk, ...bodyColumns(memory) });
  writeTags(changes, namespace.key, pk, memory.tags);
  if (memory.embedding) setVector(changes, namespace, pk, memory.embedding);
  if (entry.state === 'pending') enqueue(changes, pk, entry);
  changes.counts.add(namespace.key, 1);
  if (changes.upkeep.mayWait) changes.unsettled.add(pk);
  changes.totals.add(shareOf(namespace.key, fields));
  changes.words.add(pk, wordsOfMemory(namespace.key, memory));
  if (terms !== undefined) changes.values.add(pk, terms);
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
