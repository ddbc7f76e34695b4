import type { Meanings } from './meanings.ts';
import type { Asked } from './question.ts';

/** Pieces of texts whose vectors one recall makes before it looks for candidates, and for its best candidates: 3 to 4 ms for 32. */
const FIRST_PIECES = 384;
const BEST_PIECES = 256;
const BEST_MAX = 10;
/** What the cosine of a memory whose vector is not made is taken for: that of texts that have nothing to do with each other. */
const UNKNOWN = 0.05;

/** How near memories are to a question by the sentence encoder; makes vectors that are missing, as far as one recall may. */
export class Meant {
  readonly question: Float32Array;
  private readonly asked: Asked;
  private readonly meanings: Meanings;

  constructor(asked: Asked, meanings: Meanings) {
    this.asked = asked;
    this.meanings = meanings;
    this.question = meanings.asked(asked.text);
    // Those stored last wait longest for the background.
    this.make([...meanings.unmade].slice(-FIRST_PIECES).reverse(), FIRST_PIECES);
  }

  get isWhole(): boolean {
    return this.meanings.unmade.size === 0;
  }

  /** Makes what is missing of the best candidates, best first; gives those that were looked at. */
  makeBest(sequences: readonly number[]): readonly number[] {
    const { meanings } = this;
    const missing = sequences.slice(0, BEST_MAX).filter((sequence) => meanings.unmade.has(sequence));
    this.make(missing, BEST_PIECES);
    return missing;
  }

  cosine(sequence: number): number {
    return this.meanings.cosine(sequence, this.question) ?? UNKNOWN;
  }

  private make(sequences: readonly number[], pieces: number): void {
    let left = pieces;
    for (const sequence of sequences) {
      if (left <= 0) return;
      const text = this.asked.textOf?.(sequence);
      if (text !== undefined) left -= this.meanings.make(sequence, text);
    }
  }
}
