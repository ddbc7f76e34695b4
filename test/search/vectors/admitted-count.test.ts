import { expect, it } from '@jest/globals';
import { LayeredVectorIndex } from '../../../src/search/vectors/layered.ts';
import { newMemoryRows } from '../../support/memory-rows.ts';
import { seededRandom } from '../../support/random.ts';
import { structuredVectors } from '../../support/structured-vectors.ts';

const DIMENSION = 96;
const COUNT = 6000;
const LIMIT = 20;

it('LayeredVectorIndex › search with a known number of admitted keys › finds the nearest of them', () => {
  const random = seededRandom('admitted-count');
  const next = structuredVectors(random, DIMENSION);
  const index = new LayeredVectorIndex({ dimension: DIMENSION, newRows: newMemoryRows, exactMax: 100 });
  const keys = Array.from({ length: COUNT }, (_, number) => number + 1);
  for (const key of keys) index.set(key, next());
  while (index.advance(1000));
  for (const share of [0.001, 0.3, 0.95]) {
    const chosen = new Set(keys.filter(() => random.chance(share)));
    const admits = (key: number): boolean => chosen.has(key);
    let [found, wanted] = [0, 0];
    for (let number = 0; number < 30; number++) {
      const query = next();
      const hits = index.search(query, LIMIT, { admits, admittedCount: chosen.size });
      const exact = index.search(query, LIMIT, { admits, exact: true });
      const similarities = new Map(hits.map(({ key, similarity }) => [key, similarity]));
      expect(hits.every(({ key }) => chosen.has(key))).toBe(true);
      expect(hits.length).toBe(exact.length);
      for (const { key, similarity } of exact.slice(0, 10)) {
        wanted++;
        if (similarities.get(key) === similarity) found++;
      }
    }
    expect({ share, isFound: found >= 0.99 * wanted }).toEqual({ share, isFound: true });
  }
});
