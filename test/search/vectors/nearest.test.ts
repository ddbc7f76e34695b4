import { describe, expect, it } from '@jest/globals';
import { Nearest } from '../../../src/search/vectors/nearest.ts';
import { seededRandom } from '../../support/random.ts';

const random = seededRandom('nearest');

describe('Nearest', () => {
  it('any number of neighbors, many of them equally near › those that come first in the whole order', () => {
    for (let round = 0; round < 300; round++) {
      const limit = random.int(40);
      const nearest = new Nearest(limit);
      const keys = Array.from({ length: random.int(200) }, (_, i) => i + 1).sort(() => random.next() - 0.5);
      const all = keys.map((key) => ({ key, similarity: random.int(30) / 30 }));
      for (const { key, similarity } of all) nearest.offer(key, similarity);
      const due = all.sort((a, b) => b.similarity - a.similarity || a.key - b.key).slice(0, limit);
      const least = due.at(-1)?.similarity ?? Number.POSITIVE_INFINITY;
      expect(nearest.floor).toBe(all.length < limit ? Number.NEGATIVE_INFINITY : least);
      expect(nearest.take()).toEqual(due);
      expect(nearest.take()).toEqual([]);
    }
  });
});
