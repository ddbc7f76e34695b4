import { describe, expect, it } from '@jest/globals';
import { ExactVectorIndex } from '../../../src/search/vectors/exact.ts';
import { VectorMatrix } from '../../../src/search/vectors/vector-matrix.ts';
import { seededRandom } from '../../support/random.ts';

/** So wide that a block has 64 rows only, and a few hundred vectors fill several. */
const WIDE = 32_768;
const random = seededRandom('vector matrix');

function row(mark: number): Float32Array {
  return new Float32Array(WIDE).fill(mark);
}

function contents(matrix: VectorMatrix): Map<number, number | undefined> {
  return new Map(Array.from({ length: matrix.size }, (_, slot) => [matrix.keyAt(slot), matrix.rowAt(slot)[WIDE - 1]]));
}

describe('VectorMatrix', () => {
  it('rows added and removed in any order › equals a map', () => {
    const matrix = new VectorMatrix(WIDE);
    const model = new Map<number, number>();
    for (let step = 0; step < 700; step++) {
      const key = 1 + random.int(250);
      if (random.chance(0.35)) {
        expect(matrix.remove(key)).toBe(model.delete(key));
      } else {
        matrix.put(key, row(step));
        model.set(key, step);
      }
    }
    expect(new Map([...contents(matrix)].sort(([a], [b]) => a - b))).toEqual(
      new Map([...model].sort(([a], [b]) => a - b)),
    );
  });

  it('emptied › frees its memory except one block', () => {
    const matrix = new VectorMatrix(WIDE);
    for (let key = 1; key <= 200; key++) matrix.put(key, row(key));
    const full = matrix.bytes;
    for (let key = 1; key <= 200; key++) matrix.remove(key);
    expect(matrix.size).toBe(0);
    expect(matrix.bytes).toBeLessThan(full / 2);
  });
});

describe('ExactVectorIndex', () => {
  it('search › several blocks of rows, many of them equal › the same as comparing one by one', () => {
    const dimension = 8192;
    const next = () => Float32Array.from({ length: dimension }, () => random.next() - 0.5);
    const distinct = Array.from({ length: 120 }, next);
    const index = new ExactVectorIndex(dimension);
    for (let key = 1; key <= 700; key++) index.set(key, random.pick(distinct));
    expect(index.matrix.blockRows).toBeLessThan(300);
    for (let round = 0; round < 10; round++) {
      const query = round % 2 === 0 ? next() : random.pick(distinct);
      const oneByOne = index.search(query, 12, { candidates: Array.from({ length: 700 }, (_, i) => i + 1) });
      expect(index.search(query, 12)).toEqual(oneByOne);
      const even = (key: number) => key % 2 === 0;
      const evenOneByOne = index.search(query, 700, { candidates: oddless(700), admits: even });
      expect(index.search(query, 12, { admits: even })).toEqual(evenOneByOne.slice(0, 12));
    }
  });
});

function oddless(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1).filter((key) => key % 2 === 0);
}
