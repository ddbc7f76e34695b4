import { isDeepStrictEqual } from 'node:util';
import { isSound } from '../../memory/checksum.ts';
import { memoryDamaged, readingBytesOf } from '../../memory/errors.ts';
import { checkedJson, readCheckedJson } from '../../memory/json.ts';
import type { Content, Embedding, Memory } from '../../memory/memory.ts';
import { vectorFromBytes, vectorToBytes } from '../../memory/resolution/plain-vector.ts';
import type { Entry } from './draft.ts';

/**
 * Format of a former state of a memory in the change log, bytes in base64. The vector is included only where a snapshot
 * may show it and it was changed: if absent, it equals the vector of the next state.
 */
type FormerState = Omit<Memory, 'namespace' | 'embedding' | 'content'> & {
  readonly content?: { readonly mediaType: string; readonly data: string };
  readonly vector?: { readonly model: string; readonly data: string } | WithoutVector;
};

/** A memory without a vector: it gets none, or one is pending. */
export type WithoutVector = 'none' | 'pending';

/** The vector before a change that gives the memory another one, or none; `undefined` where it stays. */
export function replacedVector(
  before: Pick<Entry, 'memory' | 'state'>,
  after: Pick<Entry, 'memory'>,
): Embedding | WithoutVector | undefined {
  const [former, present] = [before.memory.embedding, after.memory.embedding];
  if (former === present || isDeepStrictEqual(former?.values, present?.values)) return undefined;
  return former ?? (before.state === 'pending' ? 'pending' : 'none');
}

/** Includes the vector if the argument is present. */
export function formerStateOf(memory: Memory, vector?: Embedding | WithoutVector): string {
  const { namespace: _, embedding: __, content, ...rest } = memory;
  const state: FormerState = {
    ...rest,
    content: content && encoded(content),
    ...(vector !== undefined && { vector: typeof vector === 'string' ? vector : encodedVector(vector) }),
  };
  return checkedJson(state);
}

/** Fails with CHECKSUM_MISMATCH, naming the memory. */
export function memoryOfFormerState(namespace: string, id: string, json: string): Memory {
  const { content, vector: _, ...rest } = readFormerState(namespace, id, json);
  const memory = { ...rest, namespace, ...(content && { content: decoded(content) }) };
  if (!isSound(memory)) throw memoryDamaged(namespace, id);
  return memory;
}

/** `undefined`: the state had the vector of the next state. Fails with CHECKSUM_MISMATCH, naming the memory. */
export function vectorOfFormerState(
  namespace: string,
  id: string,
  json: string,
): Embedding | WithoutVector | undefined {
  const { vector } = readFormerState(namespace, id, json);
  if (vector === undefined || typeof vector === 'string') return vector;
  const { model, data } = vector;
  return { model, values: readingBytesOf(namespace, id, () => vectorFromBytes(Buffer.from(data, 'base64'))) };
}

function readFormerState(namespace: string, id: string, json: string): FormerState {
  return readingBytesOf(namespace, id, () => readCheckedJson(json)) as FormerState;
}

function encodedVector({ model, values }: Embedding): { model: string; data: string } {
  return { model, data: base64(vectorToBytes(values)) };
}

function encoded({ mediaType, data }: Content): { mediaType: string; data: string } {
  return { mediaType, data: base64(data) };
}

function decoded({ mediaType, data }: { mediaType: string; data: string }): Content {
  return { mediaType, data: Buffer.from(data, 'base64') };
}

function base64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64');
}
