import type { AskedTexts } from './asked-texts.ts';

export interface Cosines {
  /** By place in the sequences. */
  readonly values: Float64Array;
  /** Of the sequences given, not of the namespace: nobody has looked at the others. */
  readonly best: number;
  readonly mean: number;
  readonly deviation: number;
}

/** Cosines of some memories to a question's vector. */
export function cosinesOf(texts: AskedTexts, asked: Float32Array, sequences: readonly number[]): Cosines {
  const values = new Float64Array(sequences.length);
  sequences.forEach((sequence, at) => {
    values[at] = texts.rankedOf(sequence).vectors.cosine(texts.placeOf(sequence), asked);
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
