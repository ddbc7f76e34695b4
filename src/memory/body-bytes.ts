import type { Memory } from './memory.ts';

/** About how many bytes a memory's text and content have: each character of the text counts as one. */
export function bodyBytesOf({ text, content }: Pick<Memory, 'text' | 'content'>): number {
  return text.length + (content?.data.byteLength ?? 0);
}
