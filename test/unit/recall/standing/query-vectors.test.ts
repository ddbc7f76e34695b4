import { expect, test } from '@jest/globals';
import { QueryVectors } from '../../../../src/recall/standing/query-vectors.ts';
import { nearestRows } from '../../../../src/vector-index/usearch-exact.ts';
import { seededRandom, type TestRandom } from '../../../support/random.ts';

function unit(random: TestRandom, dimension: number, around?: Float32Array): Float32Array {
  const values = Float32Array.from({ length: dimension }, (_, at) => random.next() - 0.5 + 2 * (around?.[at] ?? 0));
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/** With one value that stands out, as many models' vectors have. */
function spiky(random: TestRandom, dimension: number): Float32Array {
  const values = unit(random, dimension);
  values[random.int(dimension)] = random.pick([-0.7, 0.7, 20]);
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
      const made = random.chance(0.2) ? spiky(random, dimension) : unit(random, dimension);
      const query = { vector: made, least: random.pick([-1, 0, 0.3, 0.6, 0.8, 0.95]) };
      index.put(id, query.vector, query.least);
      queries.set(id, query);
      if (!random.chance(0.3)) continue;
      const gone = random.pick([...queries.keys()]);
      index.remove(gone);
      queries.delete(gone);
    }
    expect(index.size).toBe(queries.size);
    for (let memory = 0; memory < 50; memory++) {
      const { vector: around } = random.pick([...queries.values()]);
      const vector = random.chance(0.2) ? spiky(random, dimension) : unit(random, dimension, around);
      const found = new Map(index.near(vector).map(({ id, similarity }) => [id, similarity]));
      for (const [id, query] of queries) {
        const similarity = cosine(query.vector, vector);
        if (similarity - query.least > 1e-6) expect(found.get(id)).toBeCloseTo(similarity, 5);
        if (similarity - query.least < -1e-6) expect(found.has(id)).toBe(false);
      }
    }
  },
);
