import { isDamage } from '../../memory/errors.ts';
import { restoreBody } from '../../memory/resolution/lower-body.ts';

/** A row with the text as it was given, where its tier keeps only an abstract of it at hand. */
export function withWholeText<R extends { readonly text: string; readonly packed: Uint8Array | null }>({
  packed,
  ...row
}: R): Omit<R, 'packed'> {
  return packed ? { ...row, text: restoreBody({ text: row.text, packed }).text } : row;
}

interface TextRow {
  readonly text: string;
  readonly packed: Uint8Array | null;
}

/** A text as recall reads it. One whose bytes are damaged is found by its abstract: reading it tells of the damage. */
export function recallText({ text, packed }: TextRow): { readonly text: string; readonly whole: string } {
  if (!packed) return { text, whole: text };
  try {
    return { text, whole: restoreBody({ text, packed }).text };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { text, whole: text };
  }
}
