import { type RawBuilder, type SqlBool, sql } from '#kysely';
import { isSound } from '../../memory/checksum.ts';
import { isDamage, memoryDamaged, readingBytesOf } from '../../memory/errors.ts';
import { type Content, type Embedding, type Memory, type Place, TIERS, type Tier } from '../../memory/memory.ts';
import { restoreBody } from '../../memory/resolution/lower-body.ts';
import { restoreVector } from '../../memory/resolution/lower-vector.ts';
import { vectorFromBytes } from '../../memory/resolution/plain-vector.ts';
import type { CompactionRecord } from '../../memory/resolution/resolution.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import { prepared, queries, type SqliteDatabase } from './database.ts';
import { type MemoryBodyTable, type MemoryTable, rowKeyRange } from './schema.ts';

type BodyRow = Pick<MemoryBodyTable, (typeof BODY_COLUMNS)[number]> &
  Partial<Pick<MemoryBodyTable, (typeof WIDE_COLUMNS)[number]>>;
type RestRow = Pick<MemoryTable, (typeof MEMORY_COLUMNS)[number]> & {
  /** Vector, and the model of the namespace, in the full view. */
  readonly vector?: Uint8Array | null;
  readonly small?: Uint8Array | null;
  readonly model?: string;
};
/**
 * Columns of `memory` and `memory_body` that a read selects; text and content only in views with them. A body that is
 * lost leaves its columns empty: reads join it so that they find, and report, a memory without it.
 */
export type MemoryRow = RestRow & { readonly [C in keyof BodyRow]: BodyRow[C] | null };
type BodiedRow = RestRow & BodyRow;

function hasBody(row: MemoryRow): row is BodiedRow {
  return row.checksum !== null;
}

export const MEMORY_COLUMNS = [
  'pk',
  'id',
  'type',
  'project',
  'agent_type',
  'agent',
  'session',
  'step',
  'event_at_us',
  'created_at_us',
  'updated_at_us',
  'last_accessed_at_us',
  'expires_at_us',
  'valid_from_us',
  'valid_until_us',
  'importance',
  'priority',
  'retrieval_count',
  'tier',
  'speaker',
  'x',
  'y',
  'z',
  'latitude',
  'longitude',
  'location',
  'room',
  'region',
  'superseded_by',
  'content_bytes',
  'embedding_state',
  'revision',
] as const satisfies readonly (keyof MemoryTable)[];
export const BODY_COLUMNS = ['text_derived', 'tags', 'source_uri', 'source_origin', 'checksum', 'compaction'] as const;
export const WIDE_COLUMNS = ['text', 'media_type', 'content', 'packed'] as const;

export function tierNumber(tier: Tier): number {
  return TIERS.indexOf(tier) + 1;
}

export function tierOf(number: number): Tier {
  return TIERS[number - 1] ?? 'short_term';
}

const EMBEDDING_STATES: readonly EmbeddingState[] = ['none', 'pending', 'there'];

export function stateNumber(state: EmbeddingState): number {
  return EMBEDDING_STATES.indexOf(state);
}

export function stateOf(number: number): EmbeddingState {
  return EMBEDDING_STATES[number] ?? 'none';
}

/** Fails with CHECKSUM_MISMATCH where text, content or vector of the row differ from the stored ones, or are lost. */
export function memoryFromRow(namespace: string, row: MemoryRow): Memory {
  if (!hasBody(row)) throw memoryDamaged(namespace, row.id);
  const memory = uncheckedMemory(namespace, row);
  if (typeof row.text === 'string' ? !isSound(memory) || !isOfSize(memory, row) : !CHECKSUM.test(row.checksum)) {
    throw memoryDamaged(namespace, row.id);
  }
  return memory;
}

/** An older body than the fields, as a lost write leaves it, is sound by itself. */
function isOfSize({ text, content }: Memory, { content_bytes }: RestRow): boolean {
  return Buffer.byteLength(text) + (content?.data.byteLength ?? 0) === content_bytes;
}

/** Without text and content, a damaged page shows in the form of the checksum, which is stored behind the other texts. */
const CHECKSUM = /^[0-9a-f]{64}$/;

/** Built property by property, because this is most of the cost of reading a memory. */
function uncheckedMemory(namespace: string, row: BodiedRow): Memory {
  const memory: { -readonly [K in keyof Memory]: Memory[K] } = {
    namespace,
    id: row.id,
    scope: { project: row.project, agentType: row.agent_type, agent: row.agent, session: row.session },
    type: row.type,
    eventAtUs: row.event_at_us,
    text: row.text ?? '',
    textDerived: row.text_derived === 1,
    tags: row.tags === '[]' ? [] : (parsed(namespace, row.id, row.tags) as string[]),
    importance: row.importance,
    priority: row.priority,
    source: { speaker: row.speaker, uri: row.source_uri, origin: row.source_origin },
    createdAtUs: row.created_at_us,
    updatedAtUs: row.updated_at_us,
    retrievalCount: row.retrieval_count,
    tier: tierOf(row.tier),
    checksum: row.checksum,
    revision: row.revision,
  };
  if (row.step !== null) memory.step = row.step;
  if (row.packed) {
    const lowered = { text: memory.text, packed: row.packed };
    const { text, content } = readingBytesOf(namespace, row.id, () => restoreBody(lowered));
    memory.text = text;
    if (content) memory.content = content;
  } else if (row.content) memory.content = { mediaType: row.media_type ?? '', data: row.content };
  const place = placeOf(row);
  if (place) memory.place = place;
  if (row.last_accessed_at_us !== null) memory.lastAccessedAtUs = row.last_accessed_at_us;
  if (row.expires_at_us !== null) memory.expiresAtUs = row.expires_at_us;
  if (row.valid_from_us !== null) memory.validFromUs = row.valid_from_us;
  if (row.valid_until_us !== null) memory.validUntilUs = row.valid_until_us;
  if (row.superseded_by !== '') memory.supersededBy = row.superseded_by;
  if (row.compaction !== '') memory.compaction = parsed(namespace, row.id, row.compaction) as CompactionRecord;
  const { vector, small, model = '' } = row;
  if (vector) memory.embedding = readingBytesOf(namespace, row.id, () => embeddingOf(model, vector, small));
  return memory;
}

/** Fails with CHECKSUM_MISMATCH where the bytes of a column are no JSON any more. */
function parsed(namespace: string, id: string, json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw memoryDamaged(namespace, id);
  }
}

/** A memory as far as its fields in `memory` show it: without text, content, tags, source and vector. */
export function memoryOfFields(namespace: string, row: Pick<MemoryTable, (typeof MEMORY_COLUMNS)[number]>): Memory {
  return uncheckedMemory(namespace, { ...row, ...NO_BODY });
}

const NO_BODY: Pick<MemoryBodyTable, (typeof BODY_COLUMNS)[number]> = {
  text_derived: 0,
  tags: '[]',
  source_uri: '',
  source_origin: '',
  checksum: '',
  compaction: '',
};

/** A damaged memory without its damaged bytes: its text is then the abstract, or empty, and it has no content. */
export function memoryOrRest(namespace: string, row: MemoryRow): { memory: Memory; isDamaged: boolean } {
  try {
    return { memory: memoryFromRow(namespace, row), isDamaged: false };
  } catch (error) {
    if (!isDamage(error)) throw error;
    const text = row.packed ? (row.text ?? '') : '';
    const rest = { ...row, text, content: null, packed: null, vector: null };
    return { memory: restOf(namespace, rest), isDamaged: true };
  }
}

/** Tags, source and compaction too are left out where they are damaged; the checksum is empty then. */
function restOf(namespace: string, row: MemoryRow): Memory {
  try {
    if (hasBody(row) && CHECKSUM.test(row.checksum)) return uncheckedMemory(namespace, row);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return uncheckedMemory(namespace, { ...row, text: row.text ?? '', media_type: '', ...NO_BODY });
}

function placeOf(row: RestRow): Place | undefined {
  const { x, y, z, latitude, longitude, location, room, region } = row;
  if (x === null && latitude === null && location === '' && room === '' && region === '') return undefined;
  return {
    ...(x !== null && y !== null && { point: z === null ? { x, y } : { x, y, z } }),
    ...(latitude !== null && longitude !== null && { geo: { latitudeDeg: latitude, longitudeDeg: longitude } }),
    location,
    room,
    region,
  };
}

function embeddingOf(model: string, bytes: Uint8Array, small: Uint8Array | null | undefined): Embedding {
  return { model, values: small ? restoreVector({ small, rest: bytes }) : vectorFromBytes(bytes) };
}

/** Columns of `memory` that come from a caller's fields. */
export type FieldColumns = Omit<
  MemoryTable,
  | 'pk'
  | 'namespace_key'
  | 'values_partial'
  | 'reward'
  | 'surprise'
  | 'embedding_state'
  | 'revision'
  | 'tier_since_us'
  | 'stored_bytes'
  | 'is_settled'
>;
export type BodyColumns = Omit<MemoryBodyTable, 'pk'>;

export function fieldColumns(memory: Omit<Memory, 'namespace' | 'revision'>): FieldColumns {
  const { scope, place } = memory;
  return {
    id: memory.id,
    type: memory.type,
    project: scope.project,
    agent_type: scope.agentType,
    agent: scope.agent,
    session: scope.session,
    step: memory.step ?? null,
    event_at_us: memory.eventAtUs,
    created_at_us: memory.createdAtUs,
    updated_at_us: memory.updatedAtUs,
    last_accessed_at_us: memory.lastAccessedAtUs ?? null,
    expires_at_us: memory.expiresAtUs ?? null,
    valid_from_us: memory.validFromUs ?? null,
    valid_until_us: memory.validUntilUs ?? null,
    importance: memory.importance,
    priority: memory.priority,
    retrieval_count: memory.retrievalCount,
    tier: tierNumber(memory.tier),
    speaker: memory.source.speaker,
    x: place?.point?.x ?? null,
    y: place?.point?.y ?? null,
    z: place?.point?.z ?? null,
    latitude: place?.geo?.latitudeDeg ?? null,
    longitude: place?.geo?.longitudeDeg ?? null,
    location: place?.location ?? '',
    room: place?.room ?? '',
    region: place?.region ?? '',
    superseded_by: memory.supersededBy ?? '',
    content_bytes: Buffer.byteLength(memory.text) + (memory.content?.data.byteLength ?? 0),
  };
}

export function bodyColumns(memory: Omit<Memory, 'namespace' | 'revision'>): BodyColumns {
  return {
    text: memory.text,
    text_derived: memory.textDerived ? 1 : 0,
    media_type: memory.content?.mediaType ?? '',
    content: memory.content?.data ?? null,
    tags: JSON.stringify(memory.tags),
    source_uri: memory.source.uri,
    source_origin: memory.source.origin,
    checksum: memory.checksum,
    packed: null,
    compaction: memory.compaction ? JSON.stringify(memory.compaction) : '',
  };
}

/** Condition of the indexes that only settled memories are in; for a query that runs when all are (`upkeep.ts`). */
export const isSettled: RawBuilder<SqlBool> = sql<SqlBool>`memory.is_settled = 1`;

/** The checksum of a memory, empty where its body is lost. */
export const CHECKSUM_OF_BODY = sql<string>`ifnull(memory_body.checksum, '')`.as('checksum');

/** Key of a memory's vector in the space that its namespace uses, where both tables are in the query. */
export const vectorKey: RawBuilder<number> = sql<number>`memory.pk * namespace.vector_sign`;

/**
 * The vector of a memory, where both tables and that of the namespace are in the query. A lost one is one byte, which is
 * damaged. While vectors are recomputed, states are those of the other space; copies may get theirs later.
 */
export const storedVector = sql<Uint8Array | null>`CASE WHEN memory_vector.data IS NULL AND memory.embedding_state = 2
  AND NOT EXISTS (SELECT 1 FROM reembedding WHERE reembedding.namespace_key = memory.namespace_key)
  AND NOT EXISTS (SELECT 1 FROM mirror WHERE mirror.namespace_key = memory.namespace_key)
  THEN x'00' ELSE memory_vector.data END`.as('vector');

const spaceOf = prepared((p: { key: number }) =>
  queries.selectFrom('namespace').select(['vector_sign', 'embedding_dimension']).where('key', '=', p.key),
);

/** The space in use; its sign is 1 or -1. */
export function vectorSpace(database: SqliteDatabase, namespaceKey: number): { sign: number; dimension: number } {
  const row = spaceOf(database).get({ key: namespaceKey });
  return { sign: row?.vector_sign ?? 1, dimension: row?.embedding_dimension ?? 0 };
}

/** First and last key that vectors of a space of a namespace can have. */
export function vectorKeyRange(namespaceKey: number, sign: number): { first: number; last: number } {
  const { first, last } = rowKeyRange(namespaceKey);
  return sign > 0 ? { first, last } : { first: -last, last: -first };
}

interface TextRow {
  readonly text: string;
  readonly packed: Uint8Array | null;
}

/**
 * A text in the form that recall reads. For damaged bytes this is the abstract: a read of the memory reports the
 * damage.
 */
export function recallText({ text, packed }: TextRow): { readonly text: string; readonly whole: string } {
  if (!packed) return { text, whole: text };
  try {
    return { text, whole: restoreBody({ text, packed }).text };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { text, whole: text };
  }
}

/** The content in whatever form its tier keeps it; `undefined` where there is none, or its bytes are damaged. */
export function recallContent(row: Pick<MemoryBodyTable, 'media_type' | 'content' | 'packed'>): Content | undefined {
  if (!row.packed) return row.content ? { mediaType: row.media_type, data: row.content } : undefined;
  try {
    return restoreBody({ text: '', packed: row.packed }).content;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
