import type { Span } from '../memory/passages.ts';
import type { IndexOwner, StoreState } from '../vector-index/vector-index.ts';

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

/** Goes through what was kept, memory by memory. */
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

  /** Of the memory at `position`, none where there is no memory: its text, or its passages; and goes on to the next. */
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
