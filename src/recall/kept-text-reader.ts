import type { KeptText, KeptTexts } from './kept-texts.ts';

/** Goes through what was kept, memory by memory. */
export class KeptTextReader {
  readonly words: readonly string[];
  /** Sequence that comes next. */
  position = 0;
  private readonly kept: KeptTexts;
  private readonly dimensions: number;
  private tokenAt = 0;
  private termAt = 0;

  constructor(kept: KeptTexts, dimensions: number) {
    this.kept = kept;
    this.dimensions = dimensions;
    this.words = kept.words.length === 0 ? [] : Buffer.from(kept.words).toString('utf8').split('\n');
  }

  get isAtEnd(): boolean {
    return this.position >= this.kept.present.length;
  }

  /** Of the memory at `position`, if there is one; and goes on to the next. */
  next(): KeptText | undefined {
    const { kept, dimensions } = this;
    const sequence = this.position++;
    const tokens = kept.tokens.subarray(this.tokenAt, this.tokenAt + (kept.tokenCounts[sequence] ?? 0));
    const terms = kept.terms.subarray(this.termAt, this.termAt + (kept.termCounts[sequence] ?? 0));
    this.tokenAt += tokens.length;
    this.termAt += terms.length;
    if (kept.present[sequence] !== 1) return undefined;
    const vector = kept.vectors.subarray(sequence * dimensions, (sequence + 1) * dimensions);
    return { traits: kept.traits[sequence] ?? 0, tokens, vector, shrink: kept.shrinks[sequence] ?? 0, terms };
  }
}
