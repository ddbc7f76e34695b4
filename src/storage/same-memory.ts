import { isDeepStrictEqual } from 'node:util';
import type { Memory } from '../memory/memory.ts';

/** Whether two reads of a memory, both in full view, gave the same, bit for bit. */
export function isSameMemory(one: Memory | undefined, other: Memory): boolean {
  if (!one) return false;
  const { content, embedding, ...rest } = other;
  const { content: oneContent, embedding: oneEmbedding, ...oneRest } = one;
  return (
    one.revision === other.revision &&
    isDeepStrictEqual(oneRest, rest) &&
    oneContent?.mediaType === content?.mediaType &&
    oneEmbedding?.model === embedding?.model &&
    hasSameBytes(oneContent?.data, content?.data) &&
    hasSameBytes(oneEmbedding?.values, embedding?.values)
  );
}

/** Whatever holds them. */
export function hasSameBytes(one: ArrayBufferView | undefined, other: ArrayBufferView | undefined): boolean {
  if (!one || !other) return one === other;
  return bytesOf(one).equals(bytesOf(other));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
