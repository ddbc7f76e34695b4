import { isSound } from '../../memory/checksum.ts';
import { isDamage } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';
import { type Memory, type MemoryView, TIERS } from '../../memory/memory.ts';
import { vectorFromBytes } from '../../memory/resolution/plain-vector.ts';
import type { Resolution } from '../../memory/resolution/resolution.ts';
import type { EmbeddingState } from '../embedding-state.ts';
import type { PastState } from '../records.ts';
import type { Entry } from '../rules/draft.ts';
import { unreadableEntry } from '../rules/unreadable-entry.ts';
import { queries } from './database.ts';
import type { MemoryTable, NamespaceTable } from './schema.ts';

export const STATES: readonly EmbeddingState[] = ['none', 'pending', 'there'];
export const CHANGES: readonly PastState['change'][] = ['stored', 'updated'];

type InColumns =
  | 'namespace'
  | 'id'
  | 'revision'
  | 'tier'
  | 'expiresAtUs'
  | 'retrievalCount'
  | 'lastAccessedAtUs'
  | 'checksum'
  | 'text'
  | 'content'
  | 'embedding';

/** The column `fields`: the fields of a memory without a column of their own, and its form in its tier. */
type Fields = Omit<Memory, InColumns> & { readonly resolution?: Resolution };

/** Row of an entry in the table of memories: nothing of its bytes. */
export function rowOf(namespaceKey: number, { memory, ...entry }: Entry): MemoryTable {
  const { namespace: _, id, revision, tier, expiresAtUs, retrievalCount, lastAccessedAtUs, checksum, ...rest } = memory;
  const { text: __, content: ___, embedding: ____, ...fields } = rest;
  return {
    namespace_key: namespaceKey,
    id,
    sequence: entry.sequence,
    revision,
    change: CHANGES.indexOf(entry.change),
    tier: TIERS.indexOf(tier),
    tier_since_us: entry.tierSinceUs,
    expires_at_us: expiresAtUs ?? null,
    retrieval_count: retrievalCount,
    last_accessed_at_us: lastAccessedAtUs ?? null,
    embedding_state: STATES.indexOf(entry.state),
    attempts: entry.attempts,
    not_before_us: entry.notBeforeUs,
    checksum,
    fields: checkedJson({ ...fields, resolution: entry.resolution } satisfies Fields),
    agent: memory.scope.agent,
  };
}

/** A row with the bytes that the view shows. */
export interface LoadedRow extends Omit<MemoryTable, 'agent'> {
  readonly text?: string | null;
  readonly media_type?: string | null;
  readonly content?: Uint8Array | null;
  /** Of a body in another store, which the row has got. */
  readonly body_key?: string | null;
  readonly vector?: Uint8Array | null;
}

const COLUMNS = [
  'm.namespace_key',
  'm.id',
  'm.sequence',
  'm.revision',
  'm.change',
  'm.tier',
  'm.tier_since_us',
  'm.expires_at_us',
  'm.retrieval_count',
  'm.last_accessed_at_us',
  'm.embedding_state',
  'm.attempts',
  'm.not_before_us',
  'm.checksum',
  'm.fields',
] as const;

type Located = Pick<NamespaceTable, 'key' | 'vector_sign'>;

/** The space of the vectors in use (`tables.ts`). */
export function spaceOf({ key, vector_sign }: Located): number {
  return key * vector_sign;
}

/** Memories of one namespace in a view. */
export function selectMemories(row: Located, view: MemoryView) {
  const metadata = queries.selectFrom('memory as m').where('m.namespace_key', '=', row.key).select(COLUMNS);
  if (view === 'metadata') return metadata;
  const basic = metadata
    .leftJoin('memory_body as b', (join) =>
      join.onRef('b.namespace_key', '=', 'm.namespace_key').onRef('b.sequence', '=', 'm.sequence'),
    )
    .select(['b.text', 'b.media_type', 'b.content', 'b.body_key']);
  if (view === 'basic') return basic;
  return basic
    .leftJoin('memory_vector as v', (join) =>
      join.on('v.namespace_key', '=', spaceOf(row)).onRef('v.sequence', '=', 'm.sequence'),
    )
    .select('v.data as vector');
}

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** The entry of a row, without former states; damaged bytes are left out. */
export function entryOf(
  { name, embeddingModel: model }: { readonly name: string; readonly embeddingModel: string },
  row: LoadedRow,
  view: MemoryView,
): Entry {
  const fields = fieldsIn(row);
  if (!fields) return unreadableEntry(name, row.id, row.sequence, row.revision);
  const { resolution, ...rest } = fields;
  const memory: Open<Memory> = {
    ...rest,
    namespace: name,
    id: row.id,
    text: '',
    revision: row.revision,
    tier: TIERS[row.tier] ?? 'short_term',
    retrievalCount: row.retrieval_count,
    checksum: row.checksum,
  };
  if (row.expires_at_us !== null) memory.expiresAtUs = row.expires_at_us;
  if (row.last_accessed_at_us !== null) memory.lastAccessedAtUs = row.last_accessed_at_us;
  const isWhole = view === 'metadata' || takeIn(memory, row, view === 'full' ? model : undefined);
  return {
    memory,
    sequence: row.sequence,
    state: STATES[row.embedding_state] ?? 'none',
    attempts: row.attempts,
    notBeforeUs: row.not_before_us,
    tierSinceUs: row.tier_since_us,
    change: CHANGES[row.change] ?? 'stored',
    past: [],
    resolution,
    ...(!isWhole && { isDamaged: true }),
  };
}

/** `undefined` where they are damaged. */
function fieldsIn({ fields }: LoadedRow): Fields | undefined {
  try {
    return readCheckedJson(fields) as Fields;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** False where the bytes are damaged; the memory then gets none. */
function takeIn(memory: Open<Memory>, row: LoadedRow, model: string | undefined): boolean {
  const { text, media_type: mediaType, content: data } = row;
  if (typeof text !== 'string') return false;
  const content = typeof mediaType === 'string' && data ? { mediaType, data } : undefined;
  if (!isSound({ text, checksum: memory.checksum, content })) return false;
  if (model !== undefined && STATES[row.embedding_state] === 'there') {
    const values = vectorIn(row.vector);
    if (!values) return false;
    memory.embedding = { model, values };
  }
  memory.text = text;
  if (content) memory.content = content;
  return true;
}

function vectorIn(bytes: Uint8Array | null | undefined): Float32Array | undefined {
  try {
    return bytes ? vectorFromBytes(bytes) : undefined;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}
