import { describe, expect, it } from '@jest/globals';
import { PooledVectors } from '../../../src/search/ranking/ranked-memories.ts';
import { seededRandom } from '../../support/random.ts';

const DIMENSIONS = 256;
const COUNT = 2000;

/** Vectors whose later values are smaller, as principal components are. */
function unitVectors(): Float32Array[] {
  const random = seededRandom('pooled-vectors');
  return Array.from({ length: COUNT }, () => {
    const values = Float32Array.from({ length: DIMENSIONS }, (_, d) => (random.next() - 0.5) * Math.exp(-d / 40));
    const length = Math.hypot(...values);
    return values.map((value) => value / length);
  });
}

describe('PooledVectors.nearest', () => {
  it('returns the largest cosines, nearest first, of the allowed memories', () => {
    const all = unitVectors();
    const vectors = new PooledVectors(DIMENSIONS);
    for (const [at, vector] of all.entries()) vectors.put(at + 1, vector);
    const isAllowed = (sequence: number): boolean => sequence % 3 !== 0;
    for (const asked of all.slice(0, 20)) {
      const best = Array.from({ length: COUNT }, (_, at) => at + 1)
        .filter(isAllowed)
        .sort((a, b) => vectors.cosine(b, asked) - vectors.cosine(a, asked))
        .slice(0, 10);
      expect(vectors.nearest(asked, 10, { isAllowed })).toEqual(best);
      const among = Array.from({ length: COUNT }, (_, at) => COUNT - at).filter(isAllowed);
      expect(vectors.nearest(asked, 10, { among })).toEqual(best);
      expect(vectors.nearest(asked, 10, { among: [...among, 3, 6], isAllowed })).toEqual(best);
    }
  });

  it('omits memories without a vector, and finds none for a zero vector', () => {
    const vectors = new PooledVectors(2);
    vectors.put(1, Float32Array.of(1, 0));
    vectors.put(2, undefined);
    vectors.put(5, Float32Array.of(0.6, 0.8));
    expect(vectors.nearest(Float32Array.of(0.6, 0.8), 10)).toEqual([5, 1]);
    expect(vectors.nearest(new Float32Array(2), 10)).toEqual([]);
  });
});
