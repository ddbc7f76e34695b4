import { checkedJson, readCheckedJson } from '../../memory/checked-json.ts';
import { isSound } from '../../memory/checksum.ts';
import { isDamage, memoryDamaged, readingBytesOf } from '../../memory/errors.ts';
import type { Memory, MemoryView } from '../../memory/memory.ts';
import { abstractOf } from '../../memory/resolution/abstract.ts';
import { lowerBody, restoreBody } from '../../memory/resolution/lower-body.ts';
import { restoreVector } from '../../memory/resolution/lower-vector.ts';
import { vectorFromBytes, vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { PastState } from '../memory-store.ts';
import type { RedisArgument, RedisReply } from './connection.ts';
import { layOut, readLayout, unreadableEntry } from './entry-layout.ts';

/**
 * Fields of the hash of a memory. `d`: a JSON array of all that is not bytes (`entry-layout.ts`); `t`: the text; the others
 * are bytes as they are.
 */
export const FIELDS = {
  metadata: ['d'],
  basic: ['d', 't', 'content', 'packed'],
  full: ['d', 't', 'content', 'packed', 'vector', 'small'],
} as const satisfies Record<MemoryView, readonly string[]>;

type Bytes = Uint8Array | undefined;

/** Which fields are to be written beside `d`. */
export interface EncodedParts {
  readonly body: boolean;
  readonly vector: boolean;
}

const ALL_PARTS: EncodedParts = { body: true, vector: true };

/**
 * Values of all fields of these parts, `undefined` for those that the hash does not have. Vectors are exact in every tier: nothing
 * ranks on a reduced one here, and beside what it lacks it would take more bytes.
 */
export function encodeEntry(entry: Entry, parts = ALL_PARTS): { readonly [field: string]: RedisArgument | undefined } {
  const { embedding } = entry.memory;
  return {
    d: layOut(entry),
    ...(parts.body && bodyFields(entry)),
    ...(parts.vector && { vector: embedding && vectorToBytes(embedding.values), small: undefined }),
  };
}

function bodyFields({ memory: { text, content }, resolution }: Entry) {
  if (!resolution) return { t: text, content: bufferOf(content?.data), packed: undefined };
  const body = lowerBody(content ? { text, content } : { text }, resolution);
  return {
    t: body.text,
    content: body.packed ? undefined : bufferOf(body.content?.data),
    packed: bufferOf(body.packed),
  };
}

/** Whether an entry has its text as it is, and nothing else in its body: at whatever resolution it is the same. */
export function isPlainBody({ memory: { text, content }, resolution }: Entry): boolean {
  return !content && (!resolution || abstractOf(text, resolution.abstractBytesMax) === text);
}

/**
 * Reads the fields of a view, in the order of `FIELDS`. Former states are not among them. Fails with CHECKSUM_MISMATCH,
 * naming the memory.
 */
export function decodeEntry(namespace: string, fields: readonly RedisReply[], view: MemoryView): Entry {
  const [laid, text, content, packed, vector, small] = fields;
  const { entry, mediaType, model } = readLayout(namespace, String(laid));
  if (view === 'metadata') return entry;
  const { memory } = entry;
  const { body, values } = readingBytesOf(namespace, memory.id, () => ({
    body: bodyOf(String(text ?? ''), mediaType, bytesOf(content), bytesOf(packed)),
    values: model === undefined ? undefined : valuesOf(bytesOf(vector), bytesOf(small)),
  }));
  memory.text = body.text;
  if (body.content) memory.content = body.content;
  if (!isSound(memory)) throw memoryDamaged(namespace, memory.id);
  if (model !== undefined && values) memory.embedding = { model, values };
  return entry;
}

/** Of a memory whose bytes are damaged all but those. Fails where not even that can be read. */
export function decodeOrRest(namespace: string, fields: readonly RedisReply[], view: MemoryView): Entry {
  try {
    return decodeEntry(namespace, fields, view);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { ...decodeEntry(namespace, fields, 'metadata'), isDamaged: true };
  }
}

/** The same of the memory with an id: where nothing can be read of it, that. */
export function decodeOrId(namespace: string, id: string, fields: readonly RedisReply[], view: MemoryView): Entry {
  try {
    return decodeOrRest(namespace, fields, view);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return unreadableEntry(namespace, id);
  }
}

/** Fails with CHECKSUM_MISMATCH where the view has what is damaged. */
export function wholeOf(entry: Entry | undefined, view: MemoryView): Memory | undefined {
  if (entry?.isDamaged && (view !== 'metadata' || entry.isUnreadable))
    throw memoryDamaged(entry.memory.namespace, entry.memory.id);
  return entry?.memory;
}

function bodyOf(text: string, mediaType: string | undefined, data: Bytes, packed: Bytes) {
  if (packed) return restoreBody({ text, packed });
  return mediaType === undefined ? { text } : { text, content: { mediaType, data: data ?? Buffer.alloc(0) } };
}

function valuesOf(vector: Bytes, small: Bytes): Float32Array | undefined {
  if (!vector) return undefined;
  return small ? restoreVector({ small, rest: vector }) : vectorFromBytes(vector);
}

type FormerState = {
  readonly memory: Omit<Memory, 'namespace' | 'content' | 'embedding'>;
  readonly change: PastState['change'];
} & {
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
  return checkedJson(state);
}

/** Fails with CHECKSUM_MISMATCH, naming the memory. */
function decodePast(namespace: string, id: string, json: RedisReply): PastState {
  const { memory, change, content } = readingBytesOf(namespace, id, () => readCheckedJson(String(json))) as FormerState;
  const bytes = content && { mediaType: content.mediaType, data: Buffer.from(content.data, 'base64') };
  const state = { memory: { ...memory, namespace, ...(bytes && { content: bytes }) }, change };
  if (!isSound(state.memory)) throw memoryDamaged(namespace, id);
  return state;
}

/** In place of a state whose bytes are damaged: what the one behind it tells of the memory, at the revision before. */
export function decodePastOrRest(namespace: string, later: Memory, json: RedisReply): PastState {
  try {
    return decodePast(namespace, later.id, json);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const { content: _, embedding: __, ...rest } = later;
    return { memory: { ...rest, text: '', revision: later.revision - 1 }, change: 'updated', isDamaged: true };
  }
}

function bufferOf(bytes: ArrayBufferView | undefined): Buffer | undefined {
  return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function bytesOf(reply: RedisReply | undefined): Bytes {
  return reply instanceof Uint8Array ? reply : undefined;
}
