import type { Memory } from '../../memory/memory.ts';

/** Approximate size of a memory without its text and bytes. */
export const BYTES_AROUND = 500;

/** Approximate size of the parts of a write in the queue. */
export function bytesOf(parts: readonly (string | Partial<Pick<Memory, 'text' | 'content'>> | object)[]): number {
  return parts.reduce<number>(
    (sum, part) => sum + BYTES_AROUND + (typeof part === 'string' ? 0 : bodyBytesOf(part)),
    0,
  );
}

function bodyBytesOf({ text, content, embedding }: Partial<Sized>): number {
  return (text?.length ?? 0) + (content?.data.byteLength ?? 0) + (embedding?.values.byteLength ?? 0);
}

interface Sized {
  readonly text: string | undefined;
  readonly content: { readonly data: Uint8Array } | undefined;
  readonly embedding: { readonly values: Float32Array } | null | undefined;
}
