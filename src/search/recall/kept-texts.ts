import type { IndexOwner, StoreState } from '../vectors/vector-index.ts';

/**
 * Analysed texts of a namespace, by sequence: loading them costs a tenth of analysing the texts. `tokens` and `terms`
 * are concatenated: those of each memory or, for a long text, of each of its passages.
 */
export interface KeptTexts {
  /** By sequence: number of texts, 0 where there is no memory, more than 1 for passages. */
  readonly counts: Uint16Array;
  /** Where each passage begins and ends: two numbers a passage, none for texts that are whole. */
  readonly spans: Uint32Array;
  /** From here on by text. */
  readonly traits: Uint16Array;
  readonly tokenCounts: Uint32Array;
  readonly tokens: Uint16Array;
  /** Pooled vectors as bytes, and one over the length of each; 0 for none. */
  readonly vectors: Int8Array;
  readonly shrinks: Float32Array;
  /**
   * By sequence: length of the vectors of the sentence encoder, 0 where there are none; the vectors are concatenated.
   */
  readonly meaningLengths: Uint32Array;
  readonly meanings: Int8Array;
  /** Stems by their numbers. */
  readonly termCounts: Uint32Array;
  readonly terms: Uint32Array;
  /** The stem of each number: UTF-8, with a line feed between them. */
  readonly words: Uint8Array;
}

/** Persists analysed texts between runs. Files are verified on load; damaged files are not loaded. */
export interface TextFiles {
  load(owner: IndexOwner): ({ readonly texts: KeptTexts } & StoreState) | undefined;
  /** `parts` follow each other: their arrays are concatenated. One call at a time. */
  save(owner: IndexOwner, parts: readonly KeptTexts[], state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}

/** Texts of a pool, such as that of tokens, one after the other: text `n` is from `starts[n]` up to `starts[n + 1]`. */
export interface KeptPool<P> {
  readonly pool: P;
  readonly starts: Uint32Array;
}

export function keptPool<P>(pool: P, counts: Uint32Array): KeptPool<P> {
  const starts = new Uint32Array(counts.length + 1);
  let at = 0;
  for (let text = 0; text < counts.length; text++) {
    at += counts[text] as number;
    starts[text + 1] = at;
  }
  return { pool, starts };
}

/** The stems by their numbers. */
export function keptWords({ words }: KeptTexts): readonly string[] {
  return words.length === 0
    ? []
    : Buffer.from(words.buffer, words.byteOffset, words.length).toString('utf8').split('\n');
}

/** Kept texts that are taken over between two looks at the clock. */
export const ADOPTED_AT_ONCE = 8192;
