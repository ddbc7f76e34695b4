import { expect, test } from '@jest/globals';
import { QueryVectors } from '../../../../src/recall/standing/query-vectors.ts';
import { nearestRows } from '../../../../src/vector-index/usearch-exact.ts';
import { seededRandom, type TestRandom } from '../../../support/random.ts';

function unit(random: TestRandom, dimension: number, around?: Float32Array): Float32Array {
  const values = Float32Array.from({ length: dimension }, (_, at) => random.next() - 0.5 + 2 * (around?.[at] ?? 0));
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

test.each([3, 64, 200, 384])(
  'QueryVectors of %d dimensions › name every query that a memory is near enough to, whatever was removed before',
  (dimension) => {
    const random = seededRandom(`query-vectors-${dimension}`);
    const index = new QueryVectors(dimension, nearestRows);
    const queries = new Map<number, { vector: Float32Array; least: number }>();
    for (let id = 0; id < 300; id++) {
      const query = { vector: unit(random, dimension), least: random.pick([-1, 0, 0.3, 0.6, 0.8, 0.95]) };
      index.put(id, query.vector, query.least);
      queries.set(id, query);
      if (!random.chance(0.3)) continue;
      const gone = random.pick([...queries.keys()]);
      index.remove(gone);
      queries.delete(gone);
    }
    expect(index.size).toBe(queries.size);
    for (let memory = 0; memory < 50; memory++) {
      const vector = unit(random, dimension, random.pick([...queries.values()]).vector);
      const found = new Set(index.near(vector));
      for (const [id, query] of queries) {
        const margin = cosine(query.vector, vector) - query.least;
        if (margin > 1e-4) expect(found.has(id)).toBe(true);
        if (margin < -1e-4) expect(found.has(id)).toBe(false);
      }
    }
  },
);
