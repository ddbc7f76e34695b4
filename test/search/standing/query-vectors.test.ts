import { expect, test } from '@jest/globals';
import { QueryRows, QueryVectors } from '../../../src/search/standing/query-vectors.ts';
import { ALL_TESTS } from '../../support/all-tests.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';

function unit(random: TestRandom, dimension: number, around?: Float32Array): Float32Array {
  const values = Float32Array.from({ length: dimension }, (_, at) => random.next() - 0.5 + 2 * (around?.[at] ?? 0));
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

/** With one dominant value, as in vectors of many models. */
function spiky(random: TestRandom, dimension: number): Float32Array {
  const values = unit(random, dimension);
  values[random.int(dimension)] = random.pick([-0.7, 0.7, 20]);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

test.each(ALL_TESTS ? [1, 3, 64, 200, 384, 1000, 4096] : [1, 64, 384])(
  'QueryVectors of %d dimensions › name every query that a memory is near enough to, whatever was removed before',
  (dimension) => {
    const random = seededRandom(`query-vectors-${dimension}`);
    const index = new QueryVectors(dimension);
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
    const memories = Array.from({ length: 50 }, () => {
      const { vector: around } = random.pick([...queries.values()]);
      return random.chance(0.2) ? spiky(random, dimension) : unit(random, dimension, around);
    });
    // An `expect` of each pair would take longer than the work.
    const wrong: unknown[] = [];
    for (const [at, near] of index.near(memories).entries()) {
      const vector = memories[at] ?? new Float32Array(dimension);
      const found = new Map(near.map(({ id, similarity }) => [id, similarity]));
      for (const [id, query] of queries) {
        const similarity = cosine(query.vector, vector);
        const isNear = similarity - query.least > 1e-6;
        const isFar = similarity - query.least < -1e-6;
        const isFoundSo = Math.abs((found.get(id) ?? Number.NaN) - similarity) < 5e-6;
        if ((isNear && !isFoundSo) || (isFar && found.has(id)))
          wrong.push({ at, id, similarity, found: found.get(id) });
      }
    }
    expect(wrong).toEqual([]);
  },
);

test.each([10, 100])('QueryVectors › a memory without a direction is near to none of %d queries', (count) => {
  const random = seededRandom('query-vectors-no-direction');
  const index = new QueryVectors(8);
  const queries = Array.from({ length: count }, () => unit(random, 8));
  for (const [id, query] of queries.entries()) index.put(id, query, -1);
  const [first = new Float32Array(8)] = queries;
  const near = index.near([new Float32Array(8), first, new Float32Array(8).fill(Number.NaN), first]);
  expect(near.map(({ length }) => length)).toEqual([0, count, 0, count]);
});

test.each(ALL_TESTS ? [5, 384, 4096] : [5, 384])(
  'QueryRows of %d dimensions › name all near queries and none that is further away than the rounding error',
  (dimension) => {
    const random = seededRandom(`query-rows-${dimension}`);
    // Others allocate and free rows in the meantime.
    const all = [new QueryRows(dimension), new QueryRows(dimension)] as const;
    const queries = [new Map<number, [Float32Array, number]>(), new Map<number, [Float32Array, number]>()] as const;
    for (let id = 0; id < 400; id++) {
      const at = random.int(2);
      const made = random.chance(0.2) ? spiky(random, dimension) : unit(random, dimension);
      const least = random.pick([-1, 0, 0.3, 0.6, 0.8, 1]);
      all[at]?.put(id, made, least);
      queries[at]?.set(id, [made, least]);
      if (id === 300) for (const gone of [...(queries[0]?.keys() ?? [])]) removeFrom(0, gone);
      else if (random.chance(0.3)) removeFrom(at, random.pick([...(queries[at]?.keys() ?? [])]));
    }
    function removeFrom(at: number, id: number): void {
      all[at]?.remove(id);
      queries[at]?.delete(id);
    }
    const wrong: unknown[] = [];
    for (const [at, kept] of queries.entries()) {
      for (const [around] of [...kept.values()].slice(0, 20)) {
        const vectors = [around, around.map((value) => -value), unit(random, dimension, around)];
        const candidates = all[at]?.candidates(vectors) ?? [];
        for (const [place, vector] of vectors.entries()) {
          const found = new Set(candidates[place]);
          expect(found.size).toBe(candidates[place]?.length);
          for (const [id, [query, least]] of kept) {
            const similarity = cosine(query, vector);
            const isNear = similarity >= least - 1e-6;
            // A byte differs by up to 1/254 of the greatest value from the exact one.
            const isFar = similarity < least - Math.sqrt(dimension) / 100;
            if ((isNear && !found.has(id)) || (isFar && found.has(id)))
              wrong.push({ at, place, id, similarity, least });
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  },
);
