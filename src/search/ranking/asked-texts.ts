import type { PassageTexts } from '../recall/passage-texts.ts';
import type { RankedMemories } from './ranked-memories.ts';
import { rowProducts } from './row-products.ts';
import type { TokenSpans } from './token-index.ts';

/** The texts of a namespace as one question sees them: of a long text the passage that answers best. */
export class AskedTexts {
  private readonly whole: RankedMemories;
  private readonly passages: PassageTexts;
  /** Slot of the passage by sequence. */
  private readonly best: ReadonlyMap<number, number>;
  private readonly hasPassages: boolean;

  constructor(whole: RankedMemories, passages: PassageTexts, best: ReadonlyMap<number, number>) {
    this.whole = whole;
    this.passages = passages;
    this.best = best;
    this.hasPassages = passages.size > 0;
  }

  /** Slot of a long text's passage, the first where none answers; -1 for a text that is whole. */
  slotOf(sequence: number): number {
    if (!this.hasPassages || !this.passages.has(sequence)) return -1;
    return this.best.get(sequence) ?? this.passages.slotsOf(sequence)[0] ?? -1;
  }

  /** Holds the memory's text, or its passage, at `placeOf`. */
  rankedOf(sequence: number): RankedMemories {
    return this.hasPassages && this.passages.has(sequence) ? this.passages.ranked : this.whole;
  }

  placeOf(sequence: number): number {
    const slot = this.slotOf(sequence);
    return slot < 0 ? sequence : slot;
  }

  spansOf(sequence: number): TokenSpans {
    return this.rankedOf(sequence).tokens.spans;
  }

  tokensOf(sequence: number): Uint16Array | Uint32Array {
    return this.rankedOf(sequence).tokens.tokensOf(this.placeOf(sequence));
  }

  /** Bits of `memory-traits.ts`. */
  traitsOf(sequence: number): number {
    return this.rankedOf(sequence).traitsOf(this.placeOf(sequence));
  }

  /** The whole text is one question. */
  isQuestion(sequence: number): boolean {
    return this.rankedOf(sequence).isQuestion(this.placeOf(sequence));
  }

  /** Of whole texts and passages: how many have the token, and how many there are. */
  frequency(token: number): number {
    return this.whole.tokens.frequency(token) + (this.hasPassages ? this.passages.ranked.tokens.frequency(token) : 0);
  }

  get size(): number {
    return this.whole.tokens.size + this.passages.size;
  }

  get meanTokenCount(): number {
    const total = this.whole.tokenCount + (this.hasPassages ? this.passages.ranked.tokenCount : 0);
    return this.size > 0 ? total / this.size : 0;
  }
}

export interface Cosines {
  /** By place in the sequences. */
  readonly values: Float64Array;
  /** Best of the requested sequences, not of the namespace: the others were not read. */
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

/** Cosines of some memories to a question's vector. */
export function cosinesOf(texts: AskedTexts, asked: Float32Array, sequences: readonly number[]): Cosines {
  const values = rowProducts(
    sequences.map((sequence) => texts.rankedOf(sequence).vectors.rowOf(texts.placeOf(sequence))),
    Float64Array.from(asked),
  );
  sequences.forEach((sequence, at) => {
    const shrink = texts.rankedOf(sequence).vectors.shrinkOf(texts.placeOf(sequence));
    values[at] = shrink === 0 ? 0 : (values[at] as number) * shrink;
  });
  const count = Math.max(1, values.length);
  let [best, sum] = [0, 0];
  for (const value of values) {
    best = Math.max(best, value);
    sum += value;
  }
  const mean = sum / count;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return { values, best, mean, deviation: Math.sqrt(squares / count) };
}
