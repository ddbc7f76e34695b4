import { checksumOf } from '../../memory/checksum.ts';
import { isDamage, MnemeError, memoryDamaged, readingBytesOf } from '../../memory/errors.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import { lowerBody, restoreBody } from '../../memory/resolution/lower-body.ts';
import { lowerVector, restoreVector } from '../../memory/resolution/lower-vector.ts';
import { FULL_RESOLUTION } from '../../memory/resolution/resolution.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { PastState } from '../memory-store.ts';
import type { RedisArgument, RedisReply } from './connection.ts';

/** Fields of the hash of a memory. `d`: JSON of all that is not bytes; the others are bytes as they are. */
export const FIELDS = {
  metadata: ['d'],
  basic: ['d', 'content', 'packed'],
  full: ['d', 'content', 'packed', 'vector', 'small'],
} as const satisfies Record<MemoryView, readonly string[]>;

type Bytes = Uint8Array | undefined;
/** Of an entry all but its former states, which are a list of their own. */
type Kept = Omit<Entry, 'memory' | 'past'> & {
  readonly memory: Omit<Memory, 'namespace' | 'content' | 'embedding'>;
  readonly mediaType?: string;
  readonly model?: string;
};

/** Values of all fields, `undefined` for those that the hash does not have. */
export function encodeEntry({ memory, past: _, ...state }: Entry): {
  readonly [field: string]: RedisArgument | undefined;
} {
  const { namespace: __, content, embedding, ...rest } = memory;
  const resolution = state.resolution ?? FULL_RESOLUTION;
  const body = lowerBody(content ? { text: rest.text, content } : { text: rest.text }, resolution);
  const vector = embedding && lowerVector(embedding.values, resolution);
  const kept: Kept = {
    ...state,
    memory: { ...rest, text: body.text },
    ...(content && { mediaType: content.mediaType }),
    ...(embedding && { model: embedding.model }),
  };
  return {
    d: JSON.stringify(kept),
    content: body.packed ? undefined : bufferOf(body.content?.data),
    packed: bufferOf(body.packed),
    vector: bufferOf(vector ? vector.rest : embedding?.values),
    small: bufferOf(vector?.small),
  };
}

/**
 * Reads the fields of a view, in the order of `FIELDS`. Former states are not among them. Fails with CHECKSUM_MISMATCH,
 * naming the memory.
 */
export function decodeEntry(namespace: string, fields: readonly RedisReply[], view: MemoryView): Entry {
  const [json, content, packed, vector, small] = fields;
  const { memory, mediaType, model, ...state } = JSON.parse(String(json)) as Kept;
  if (view === 'metadata') return { ...state, memory: { ...memory, namespace, text: '' }, past: [] };
  const { body, values } = readingBytesOf(namespace, memory.id, () => ({
    body: bodyOf(memory.text, mediaType, bytesOf(content), bytesOf(packed)),
    values: model === undefined ? undefined : valuesOf(bytesOf(vector), bytesOf(small)),
  }));
  return {
    ...state,
    memory: { ...memory, namespace, ...body, ...(model !== undefined && values && { embedding: { model, values } }) },
    past: [],
  };
}

/** Of a memory whose bytes are damaged all but those. */
export function decodeOrRest(namespace: string, fields: readonly RedisReply[], view: MemoryView): Entry {
  try {
    return decodeEntry(namespace, fields, view);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { ...decodeEntry(namespace, fields, 'metadata'), isDamaged: true };
  }
}

/** Fails with CHECKSUM_MISMATCH where the view has bytes that are damaged. */
export function wholeOf(entry: Entry | undefined, view: MemoryView): Memory | undefined {
  if (entry?.isDamaged && view !== 'metadata') throw memoryDamaged(entry.memory.namespace, entry.memory.id);
  return entry?.memory;
}

function bodyOf(text: string, mediaType: string | undefined, data: Bytes, packed: Bytes) {
  if (packed) return restoreBody({ text, packed });
  return mediaType === undefined ? { text } : { text, content: { mediaType, data: data ?? Buffer.alloc(0) } };
}

function valuesOf(vector: Bytes, small: Bytes): Float32Array | undefined {
  if (!vector) return undefined;
  // Copied, because bytes of an answer need not be aligned for floats.
  return small ? restoreVector({ small, rest: vector }) : new Float32Array(new Uint8Array(vector).buffer);
}

/** Fails with CHECKSUM_MISMATCH when the bytes are not those that were stored. */
export function checkBytes({ memory }: Entry): void {
  if (checksumOf(memory.text, memory.content) === memory.checksum) return;
  const name = `namespaces/${memory.namespace}/memories/${memory.id}`;
  throw new MnemeError('CHECKSUM_MISMATCH', `${name}: the stored bytes are damaged`, { metadata: { name } });
}

type FormerState = { readonly memory: Kept['memory']; readonly change: PastState['change'] } & {
  readonly content?: { readonly mediaType: string; readonly data: string };
};

export function encodePast({ memory, change }: PastState): string {
  const { namespace: _, embedding: __, content, ...rest } = memory;
  const data = content && bufferOf(content.data)?.toString('base64');
  const state: FormerState = {
    memory: rest,
    change,
    ...(content && { content: { mediaType: content.mediaType, data: data ?? '' } }),
  };
  return JSON.stringify(state);
}

export function decodePast(namespace: string, json: RedisReply): PastState {
  const { memory, change, content } = JSON.parse(String(json)) as FormerState;
  const bytes = content && { mediaType: content.mediaType, data: Buffer.from(content.data, 'base64') };
  return { memory: { ...memory, namespace, ...(bytes && { content: bytes }) }, change };
}

function bufferOf(bytes: ArrayBufferView | undefined): Buffer | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function bytesOf(reply: RedisReply | undefined): Bytes {
  return reply instanceof Uint8Array ? reply : undefined;
}
