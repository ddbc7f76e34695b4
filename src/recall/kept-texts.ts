import type { Span } from '../memory/passages.ts';
import type { IndexOwner, StoreState } from '../vector-index/index-files.ts';

/**
 * What the texts of a namespace were read as, by sequence: taking it over costs a tenth of reading them. `tokens` and
 * `terms` have those of one text after the other: that of a memory, or its passages where it is a long one.
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
  /** By sequence: length of the vectors of the sentence encoder, 0 where there are none; and those of one memory after the other. */
  readonly meaningLengths: Uint32Array;
  readonly meanings: Int8Array;
  /** Stems by their numbers. */
  readonly termCounts: Uint32Array;
  readonly terms: Uint32Array;
  /** The stem of each number: UTF-8, with a line feed between them. */
  readonly words: Uint8Array;
}

/** Keeps them between runs. What is loaded is checked; what is damaged is not loaded. */
export interface TextFiles {
  load(owner: IndexOwner): ({ readonly texts: KeptTexts } & StoreState) | undefined;
  /** One call at a time. */
  save(owner: IndexOwner, texts: KeptTexts, state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}

/** What was kept of one text. */
export interface KeptText {
  /** Of a passage. */
  readonly span?: Span;
  readonly traits: number;
  readonly tokens: Uint16Array;
  readonly vector: Int8Array;
  readonly shrink: number;
  readonly terms: Uint32Array;
}
