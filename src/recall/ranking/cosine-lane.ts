import type { LaneScores } from './lane-scores.ts';
import type { PooledVectors } from './pooled-vectors.ts';

/**
 * Cosines to a question's vector, each worked out when it is first wanted. Best, mean and deviation are of the sequences
 * given, not of the namespace: nobody has looked at the others.
 */
export function cosineLane(vectors: PooledVectors, asked: Float32Array, sequences: readonly number[]): LaneScores {
  const known = new Map<number, number>();
  const of = (sequence: number): number => {
    let value = known.get(sequence);
    if (value === undefined) {
      value = vectors.cosine(sequence, asked);
      known.set(sequence, value);
    }
    return value;
  };
  const scores = sequences.map(of);
  const count = Math.max(1, scores.length);
  const mean = scores.reduce((sum, score) => sum + score, 0) / count;
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / count;
  return { of, found: sequences, best: Math.max(0, ...scores), mean, deviation: Math.sqrt(variance) };
}
