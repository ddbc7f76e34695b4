import type { KeptText, KeptTexts } from './kept-texts.ts';

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
