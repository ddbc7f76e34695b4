import { createHash, hash } from 'node:crypto';
import { isDamage } from './errors.ts';
import type { Content, Memory } from './memory.ts';

/** Put together in one piece up to here: one call of the hash costs less than one for each part. */
const JOINED_BYTES_MAX = 32_768;
const joined = Buffer.allocUnsafeSlow(JOINED_BYTES_MAX);

/**
 * SHA-256 of text and content in lower-case hexadecimal. Each part is hashed behind its length in bytes (`5:hello`), so
 * two memories with different parts never hash the same bytes; without content only the text is hashed.
 */
export function checksumOf(text: string, content?: Content): string {
  if (!content) return hash('sha256', framed(text), 'hex');
  const { mediaType, data } = content;
  const head = `${framed(text)}${framed(mediaType)}${data.byteLength}:`;
  // In UTF-8 at most three times as long.
  if (3 * head.length + data.byteLength > JOINED_BYTES_MAX) {
    return createHash('sha256').update(head).update(data).digest('hex');
  }
  const headBytes = joined.write(head);
  joined.set(data, headBytes);
  return hash('sha256', joined.subarray(0, headBytes + data.byteLength), 'hex');
}

/** Whether text and content still match the checksum. */
export function isSound({ text, content, checksum }: { text: string; content?: Content; checksum: string }): boolean {
  return checksumOf(text, content) === checksum;
}

function framed(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`;
}

/** The memories that can be read, in request order; `undefined` for a memory that does not exist or is damaged. */
export interface Readable {
  readonly memories: readonly (Memory | undefined)[];
  readonly damagedIds: readonly string[];
}

/** Reads them one by one where one is damaged. */
export async function readable(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<readonly (Memory | undefined)[]>,
): Promise<Readable> {
  try {
    return { memories: await read(ids), damagedIds: [] };
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  const memories: (Memory | undefined)[] = [];
  const damagedIds: string[] = [];
  for (const id of ids) {
    try {
      memories.push(...(await read([id])));
    } catch (error) {
      if (!isDamage(error)) throw error;
      memories.push(undefined);
      damagedIds.push(id);
    }
  }
  return { memories, damagedIds };
}

/** Approximate size of a memory's text and content in bytes: each character of the text counts as one. */
export function bodyBytesOf({ text, content }: Pick<Memory, 'text' | 'content'>): number {
  return text.length + (content?.data.byteLength ?? 0);
}

/** Exact size of text and content in bytes, the text in UTF-8: the size that statistics and limits count. */
export function utf8BodyBytesOf({ text, content }: Pick<Memory, 'text' | 'content'>): number {
  return Buffer.byteLength(text) + (content?.data.byteLength ?? 0);
}
