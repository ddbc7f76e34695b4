import { describe, expect, it } from '@jest/globals';
import type { Neighbor, VectorIndex, VectorSearchOptions } from '../../../src/search/vectors/vector-index.ts';
import { seededRandom } from '../../support/random.ts';
import { structuredVectors } from '../../support/structured-vectors.ts';

export interface VectorIndexSubject<I extends VectorIndex> {
  readonly name: string;
  create(dimension: number): I;
  /** Brings it into the state under test; called after changes, before searches. */
  settle(index: I): void;
  /** Minimum share of the true nearest that a search without `exact` finds. */
  readonly overlapMin: number;
}

const DIMENSION = 32;
/** Similarities within this distance are equal in single precision: either may be the nearer one. */
const SAME = 1e-6;

/** Contract of every `VectorIndex`. */
export function vectorIndexSuite<I extends VectorIndex>({
  name,
  create,
  settle,
  overlapMin,
}: VectorIndexSubject<I>): void {
  const random = seededRandom(`vector index ${name}`);

  function filled(vectors: ReadonlyMap<number, Float32Array>): I {
    const index = create(DIMENSION);
    for (const [key, vector] of vectors) index.set(key, vector);
    settle(index);
    return index;
  }

  function structured(count: number): Map<number, Float32Array> {
    const next = structuredVectors(random, DIMENSION);
    return new Map(Array.from({ length: count }, (_, i) => [7 * i + 1, next()]));
  }

  /** Compares many searches with the truth: order, similarities, and the share of the true nearest. */
  function expectSearches(index: I, vectors: ReadonlyMap<number, Float32Array>, options?: VectorSearchOptions): void {
    const next = structuredVectors(random, DIMENSION);
    let [due, found] = [0, 0];
    for (let round = 0; round < 12; round++) {
      const query = round % 2 === 0 ? next() : random.pick([...vectors.values()]);
      const answer = index.search(query, 10, options);
      const truth = naive(vectors, query, 10, options);
      expectInOrder(answer);
      for (const { key, similarity } of answer) {
        expect(similarity).toBeCloseTo(cosine(query, vectors.get(key) ?? new Float32Array(DIMENSION)), 5);
      }
      expect(answer.length).toBe(truth.length);
      const keys = new Set(answer.map(({ key }) => key));
      const least = (answer.at(-1)?.similarity ?? 0) + SAME;
      due += truth.length;
      found += truth.filter(({ key, similarity }) => keys.has(key) || similarity < least).length;
    }
    expect(found / due).toBeGreaterThanOrEqual(options?.exact || options?.candidates ? 1 : overlapMin);
  }

  describe(`vector index (${name})`, () => {
    it('search › empty › no results', () => {
      expect(filled(new Map()).search(axis(0), 10)).toEqual([]);
      expect(filled(new Map()).search(axis(0), 10, { admits: () => true })).toEqual([]);
    });

    it('search › limit 0 › no results', () => {
      expect(filled(new Map([[1, axis(0)]])).search(axis(0), 0)).toEqual([]);
    });

    it('search › fewer vectors than the limit › all of them, nearest first', () => {
      const index = filled(
        new Map([
          [3, axis(0)],
          [1, axis(1)],
          [2, mixed(0, 1)],
        ]),
      );
      expect(index.size).toBe(3);
      expect(index.search(axis(0), 10).map(({ key }) => key)).toEqual([3, 2, 1]);
    });

    it(`search › clustered vectors › finds at least ${overlapMin} of the true nearest, with their cosines`, () => {
      const vectors = structured(1500);
      const index = filled(vectors);
      expectSearches(index, vectors);
      expectSearches(index, vectors, { exact: true });
    });

    it('search › vectors and query of any length and offset › compares directions', () => {
      const wide = new Float32Array(3 * DIMENSION);
      wide.set(
        mixed(0, 1).map((value) => value * 1e-20),
        DIMENSION,
      );
      const view = wide.subarray(DIMENSION, 2 * DIMENSION);
      const index = filled(
        new Map([
          [1, axis(0).map((value) => value * 1e20)],
          [2, view],
        ]),
      );
      const [first, second] = index.search(view, 2);
      expect(first?.key).toBe(2);
      expect(first?.similarity).toBeCloseTo(1, 6);
      expect(second?.similarity).toBeCloseTo(Math.SQRT1_2, 6);
    });

    it('search › equal vectors, exact › ordered by key, the smallest keys stay', () => {
      const index = filled(new Map(Array.from({ length: 300 }, (_, i) => [1000 - i, axis(i % 3)])));
      const keys = index.search(axis(1), 5, { exact: true }).map(({ key }) => key);
      const due = Array.from({ length: 300 }, (_, i) => i)
        .filter((i) => i % 3 === 1)
        .map((i) => 1000 - i);
      expect(keys).toEqual(due.sort((a, b) => a - b).slice(0, 5));
    });

    it('search › admits every other, few or no keys › only these, up to the limit', () => {
      const vectors = structured(800);
      const index = filled(vectors);
      expectSearches(index, vectors, { admits: (key) => key % 2 === 0 });
      expectSearches(index, vectors, { admits: (key) => key % 50 === 1 });
      expectSearches(index, vectors, { admits: (key) => key === 8 });
      expect(index.search(axis(0), 10, { admits: () => false })).toEqual([]);
    });

    it('search › candidates › only existing and admitted ones', () => {
      const vectors = structured(500);
      const index = filled(vectors);
      const candidates = [...vectors.keys()].filter((key) => key % 3 === 0).concat(2, 3_000_000);
      expectSearches(index, vectors, { candidates });
      expectSearches(index, vectors, { candidates, admits: (key) => key % 2 === 0 });
      expect(index.search(axis(0), 10, { candidates: [] })).toEqual([]);
    });

    it('set › key that is there › replaces its vector at once', () => {
      const index = filled(
        new Map([
          [1, axis(0)],
          [2, axis(1)],
        ]),
      );
      index.set(1, axis(2));
      expect(index.size).toBe(2);
      expect(index.search(axis(2), 1)).toEqual([{ key: 1, similarity: 1 }]);
      settle(index);
      expect(index.search(axis(2), 1)).toEqual([{ key: 1, similarity: 1 }]);
      expect(index.search(axis(0), 2).every(({ similarity }) => similarity === 0)).toBe(true);
    });

    it('set › array changed afterwards › keeps the original vector', () => {
      const vector = axis(0);
      const index = filled(new Map([[1, vector]]));
      vector.fill(0);
      expect(index.search(axis(0), 1)).toEqual([{ key: 1, similarity: 1 }]);
    });

    it('set › largest key › found again', () => {
      const index = filled(new Map([[Number.MAX_SAFE_INTEGER, axis(0)]]));
      expect(index.search(axis(0), 1)).toEqual([{ key: Number.MAX_SAFE_INTEGER, similarity: 1 }]);
    });

    it('set and search › wrong length, not finite, or all zero › throw and change nothing', () => {
      const index = filled(new Map([[1, axis(0)]]));
      const bad = [
        new Float32Array(DIMENSION - 1).fill(1),
        new Float32Array(2 * DIMENSION).fill(1),
        new Float32Array(0),
        axis(0).fill(Number.NaN, 3, 4),
        axis(0).fill(Number.POSITIVE_INFINITY, 3, 4),
        new Float32Array(DIMENSION),
      ];
      for (const vector of bad) {
        expect(() => index.set(1, vector)).toThrow(RangeError);
        expect(() => index.set(2, vector)).toThrow(RangeError);
        expect(() => index.search(vector, 1)).toThrow(RangeError);
      }
      expect(index.size).toBe(1);
      expect(index.search(axis(0), 2)).toEqual([{ key: 1, similarity: 1 }]);
    });

    it('delete › existing or missing key › reports it, and it is no longer found', () => {
      const vectors = structured(200);
      const index = filled(vectors);
      expect(index.delete(2)).toBe(false);
      for (const key of [...vectors.keys()].slice(0, 150)) {
        expect(index.delete(key)).toBe(true);
        expect(index.delete(key)).toBe(false);
        vectors.delete(key);
      }
      expect(index.size).toBe(50);
      expectSearches(index, vectors);
      settle(index);
      expectSearches(index, vectors);
    });

    it('any order of sets and deletes › searches see all of them at every moment', () => {
      const next = structuredVectors(random, DIMENSION);
      const vectors = structured(300);
      const index = filled(vectors);
      for (let step = 0; step < 6; step++) {
        for (let change = 0; change < 150; change++) {
          const key = 1 + random.int(1500);
          if (random.chance(0.4)) {
            expect(index.delete(key)).toBe(vectors.delete(key));
          } else {
            const vector = next();
            vectors.set(key, vector);
            index.set(key, vector);
          }
        }
        expect(index.size).toBe(vectors.size);
        expectSearches(index, vectors);
        settle(index);
        expectSearches(index, vectors);
      }
    });
  });
}

function expectInOrder(neighbors: readonly Neighbor[]): void {
  neighbors.forEach(({ key, similarity }, i) => {
    const before = neighbors[i - 1];
    if (!before) return;
    expect(before.similarity > similarity || (before.similarity === similarity && before.key < key)).toBe(true);
  });
}

/** The truth, by the definition. */
function naive(
  vectors: ReadonlyMap<number, Float32Array>,
  query: Float32Array,
  limit: number,
  { admits, candidates }: VectorSearchOptions = {},
): Neighbor[] {
  return [...vectors]
    .filter(([key]) => (admits?.(key) ?? true) && (!candidates || Array.from(candidates).includes(key)))
    .map(([key, vector]) => ({ key, similarity: cosine(query, vector) }))
    .sort((a, b) => b.similarity - a.similarity || a.key - b.key)
    .slice(0, limit);
}

function cosine(one: Float32Array, other: Float32Array): number {
  let [product, ones, others] = [0, 0, 0];
  one.forEach((value, i) => {
    const against = other[i] ?? 0;
    product += value * against;
    ones += value * value;
    others += against * against;
  });
  return product / Math.sqrt(ones * others);
}

function axis(at: number): Float32Array {
  const vector = new Float32Array(DIMENSION);
  vector[at] = 1;
  return vector;
}

function mixed(one: number, other: number): Float32Array {
  const vector = axis(one);
  vector[other] = 1;
  return vector;
}
