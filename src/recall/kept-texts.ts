import type { Span } from '../memory/passages.ts';
import type { IndexOwner, StoreState } from '../vector-index/vector-index.ts';

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
  /** One call at a time. */
  save(owner: IndexOwner, texts: KeptTexts, state: StoreState): Promise<void>;
  forget(ownerKey: number): void;
}

/** The persisted analysis of one text. */
export interface KeptText {
  /** Of a passage. */
  readonly span?: Span;
  readonly traits: number;
  readonly tokens: Uint16Array;
  readonly vector: Int8Array;
  readonly shrink: number;
  readonly terms: Uint32Array;
}

/** Reads a persisted analysis, memory by memory. */
export class KeptTextReader {
  readonly words: readonly string[];
  /** Sequence that comes next. */
  position = 0;
  private readonly kept: KeptTexts;
  private readonly dimensions: number;
  private textAt = 0;
  private tokenAt = 0;
  private termAt = 0;
  private spanAt = 0;
  private meaningAt = 0;

  constructor(kept: KeptTexts, dimensions: number) {
    this.kept = kept;
    this.dimensions = dimensions;
    this.words = kept.words.length === 0 ? [] : Buffer.from(kept.words).toString('utf8').split('\n');
  }

  get isAtEnd(): boolean {
    return this.position >= this.kept.counts.length;
  }

  /** Returns the texts of the memory at `position` (none, its text, or its passages) and advances. */
  next(): readonly KeptText[] {
    const count = this.kept.counts[this.position++] ?? 0;
    return Array.from({ length: count }, () => this.nextText(count > 1));
  }

  /** Vectors of the memory that comes next; to be called before `next`. */
  nextMeaning(): Int8Array {
    const length = this.kept.meaningLengths[this.position] ?? 0;
    const meaning = this.kept.meanings.slice(this.meaningAt, this.meaningAt + length);
    this.meaningAt += length;
    return meaning;
  }

  private nextText(isPassage: boolean): KeptText {
    const { kept, dimensions } = this;
    const at = this.textAt++;
    const tokens = kept.tokens.subarray(this.tokenAt, this.tokenAt + (kept.tokenCounts[at] ?? 0));
    const terms = kept.terms.subarray(this.termAt, this.termAt + (kept.termCounts[at] ?? 0));
    this.tokenAt += tokens.length;
    this.termAt += terms.length;
    const vector = kept.vectors.subarray(at * dimensions, (at + 1) * dimensions);
    const text = { traits: kept.traits[at] ?? 0, tokens, vector, shrink: kept.shrinks[at] ?? 0, terms };
    if (!isPassage) return text;
    const [from = 0, end = 0] = kept.spans.subarray(this.spanAt, this.spanAt + 2);
    this.spanAt += 2;
    return { ...text, span: { from, end } };
  }
}
