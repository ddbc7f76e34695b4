import { restoreBody } from '../../memory/resolution/lower-body.ts';

/** A row with the text as it was given, where its tier keeps only an abstract of it at hand. */
export function withWholeText<R extends { readonly text: string; readonly packed: Uint8Array | null }>({
  packed,
  ...row
}: R): Omit<R, 'packed'> {
  return packed ? { ...row, text: restoreBody({ text: row.text, packed }).text } : row;
}
