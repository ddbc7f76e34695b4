import { createHash } from 'node:crypto';
import type { Content } from './memory.ts';

/**
 * SHA-256 of text and content in lower-case hexadecimal. Each part goes in behind its length in bytes (`5:hello`), so
 * no two memories of different parts have the same bytes; without content there is only the text.
 */
export function checksumOf(text: string, content?: Content): string {
  const hash = createHash('sha256').update(framed(text));
  if (content) hash.update(framed(content.mediaType)).update(`${content.data.byteLength}:`).update(content.data);
  return hash.digest('hex');
}

function framed(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`;
}
