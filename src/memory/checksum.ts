import { createHash, hash } from 'node:crypto';
import type { Content } from './memory.ts';

/** Put together in one piece up to here: one call of the hash costs less than one for each part. */
const JOINED_BYTES_MAX = 32_768;
const joined = Buffer.allocUnsafeSlow(JOINED_BYTES_MAX);

/**
 * SHA-256 of text and content in lower-case hexadecimal. Each part goes in behind its length in bytes (`5:hello`), so
 * no two memories of different parts have the same bytes; without content there is only the text.
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

/** Whether text and content are those that the checksum was taken of. */
export function isSound({ text, content, checksum }: { text: string; content?: Content; checksum: string }): boolean {
  return checksumOf(text, content) === checksum;
}

function framed(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`;
}
