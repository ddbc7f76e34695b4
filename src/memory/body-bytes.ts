import type { Memory } from './memory.ts';

/** About how many bytes a memory's text and content have: each character of the text counts as one. */
export function bodyBytesOf({ text, content }: Pick<Memory, 'text' | 'content'>): number {
  return text.length + (content?.data.byteLength ?? 0);
}

/** How many bytes they have to the byte, the text in UTF-8: what statistics and limits count. */
export function utf8BodyBytesOf({ text, content }: Pick<Memory, 'text' | 'content'>): number {
  return Buffer.byteLength(text) + (content?.data.byteLength ?? 0);
}
