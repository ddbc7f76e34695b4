import { createHash, hash } from 'node:crypto';
import type { Content } from './memory.ts';

/**
 * SHA-256 of text and content in lower-case hexadecimal. Each part goes in behind its length in bytes (`5:hello`), so
 * no two memories of different parts have the same bytes; without content there is only the text.
 */
export function checksumOf(text: string, content?: Content): string {
  if (!content) return hash('sha256', framed(text), 'hex');
  const { mediaType, data } = content;
  const parts = createHash('sha256').update(framed(text)).update(framed(mediaType));
  return parts.update(`${data.byteLength}:`).update(data).digest('hex');
}

function framed(text: string): string {
  return `${Buffer.byteLength(text)}:${text}`;
}
