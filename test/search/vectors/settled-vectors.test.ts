import { describe, expect, it } from '@jest/globals';
import { CodedRows } from '../../../src/search/vectors/coded-rows.ts';
import { ExactVectorIndex } from '../../../src/search/vectors/exact.ts';
import { LayeredVectorIndex } from '../../../src/search/vectors/layered.ts';
import { directionOf, dotProduct } from '../../../src/search/vectors/nearest.ts';
import { RoughNearest } from '../../../src/search/vectors/rough-nearest.ts';
import { MemoryRows } from '../../support/memory-rows.ts';
import { seededRandom } from '../../support/random.ts';
import { structuredVectors } from '../../support/structured-vectors.ts';

const random = seededRandom('settled vectors');

function filled(dimension: number, count: number, isSettled = true) {
  const rows = new MemoryRows();
  const index = new LayeredVectorIndex({ dimension, exactMax: isSettled ? 0 : count, newRows: () => rows });
  const exact = new ExactVectorIndex(dimension);
  const next = structuredVectors(random, dimension);
  const kinds = Array.from({ length: Math.ceil(count / 2) }, next);
  for (let key = 1; key <= count; key++) {
    const vector = random.pick(kinds);
    index.set(key, vector);
    exact.set(key, vector);
  }
  while (isSettled && index.fresh.size > 0) index.advance(0);
  return { index, exact, rows, next };
}

describe('vectors kept as bytes', () => {
  it.each([3, 16, 100, 384])(
    'of %i values, many equal, exact or among candidates › as exact search, to the bit',
    (dimension) => {
      const { index, exact, next } = filled(dimension, 700);
      const candidates = Array.from({ length: 300 }, (_, i) => 2 * i + 1);
      const admits = (key: number) => key % 3 === 0;
      for (let round = 0; round < 25; round++) {
        const query = next();
        const limit = 1 + random.int(40);
        for (const options of [{ exact: true }, { candidates }, { exact: true, admits }, { candidates, admits }]) {
          expect(index.search(query, limit, options)).toEqual(exact.search(query, limit, options));
        }
      }
    },
  );

  it('first of the nearest › as the whole search, to the bit, with its count', () => {
    for (const [count, isSettled, later] of [
      [30, false, 0],
      [900, true, 0],
      [900, true, 40],
    ] as const) {
      const { index, next } = filled(128, count, isSettled);
      for (let key = count + 1; key <= count + later; key++) index.set(key, next());
      for (let round = 0; round < 30; round++) {
        const query = next();
        const limit = 1 + random.int(60);
        const first = random.pick([1, random.int(70), Number.POSITIVE_INFINITY]);
        const step = random.pick([1, 2, 7]);
        const candidates = Array.from({ length: 100 }, (_, i) => step * i + 1);
        const admits = (key: number) => key % 3 === 0;
        for (const options of [{}, { exact: true }, { candidates }, { admits }, { candidates, admits }]) {
          const due = index.search(query, limit, options);
          const { neighbors, count: found } = index.searchFirst(query, limit, first, options);
          expect({ neighbors, found }).toEqual({ neighbors: due.slice(0, first), found: due.length });
        }
      }
      index.close();
    }
  });

  it('exact vector unreadable › found by its bytes, and its key named once', () => {
    const { index, rows, next } = filled(64, 200);
    const slot = index.settled?.codes.slotOf(17) ?? -1;
    const vector = next();
    index.set(17, vector);
    while (index.advance(0));
    expect(index.settled?.codes.slotOf(17)).toBe(slot);
    rows.damage(slot);
    const [found] = index.search(vector, 1, { exact: true });
    expect(found?.key).toBe(17);
    expect(found?.similarity).toBeCloseTo(1, 2);
    expect([index.takeDamaged(), index.takeDamaged()]).toEqual([[17], []]);
  });

  it('disk full › vectors stay in memory and are found, and are moved later', () => {
    let [nowMs, isFull] = [0, true];
    const rows = new MemoryRows();
    const newRows = () => {
      if (isFull) throw new Error('no space');
      return rows;
    };
    const index = new LayeredVectorIndex({ dimension: 16, exactMax: 10, newRows, nowMs: () => nowMs });
    const vectors = Array.from({ length: 50 }, structuredVectors(random, 16));
    for (const [at, vector] of vectors.entries()) index.set(at + 1, vector);
    expect(() => index.advance(5)).toThrow('no space');
    expect([index.advance(5), index.advance(5), index.exactCount]).toEqual([false, false, 50]);
    expect(index.search(vectors[7] as Float32Array, 1)[0]?.key).toBe(8);
    isFull = false;
    nowMs += 60_000;
    expect(index.advance(5)).toBe(false);
    expect([index.exactCount, index.fresh.size, index.size]).toEqual([0, 0, 50]);
  });

  it('no slot outside of its slack, for any dimension up to 4,096', () => {
    for (const dimension of [1, 2, 7, 300, 1536, 4096]) {
      const codes = new CodedRows(dimension);
      const units = Array.from({ length: 40 }, () =>
        directionOf(
          Float32Array.from({ length: dimension }, () => random.next() ** 5 - 0.1),
          dimension,
        ),
      );
      for (const [at, unit] of units.entries()) codes.add(at + 1, unit);
      for (const query of units) {
        const asked = codes.ask(query);
        const slots = units.map((_, slot) => slot);
        const seen: number[] = [];
        const rough = new RoughNearest(units.length, -2);
        rough.offer = (slot, similarity, slack) => {
          seen.push(slot);
          expect(Math.abs(similarity - dotProduct(units[slot] as Float32Array, query))).toBeLessThanOrEqual(slack);
        };
        codes.compare(asked, slots, slots.length, 1, rough);
        expect(seen).toEqual(slots);
      }
      codes.close();
    }
  });

  it('added and removed in any order › slots are used again, and keys are found', () => {
    const codes = new CodedRows(20);
    const model = new Map<number, Float32Array>();
    for (let step = 0; step < 6000; step++) {
      const key = 1 + random.int(2500);
      const slot = codes.slotOf(key);
      expect(slot >= 0).toBe(model.has(key));
      if (slot >= 0) {
        expect(codes.remove(key)).toBe(slot);
        model.delete(key);
      } else {
        const due = codes.nextSlot;
        const unit = directionOf(
          Float32Array.from({ length: 20 }, () => random.next() - 0.5),
          20,
        );
        codes.add(key, unit);
        expect(codes.slotOf(key)).toBe(due);
        model.set(key, unit);
      }
    }
    const decoded = new Float32Array(20);
    for (const [key, unit] of model) {
      codes.decode(codes.slotOf(key), decoded);
      expect(dotProduct(decoded, unit)).toBeGreaterThan(0.99);
    }
    expect(codes.size).toBe(model.size);
    codes.close();
  });
});
