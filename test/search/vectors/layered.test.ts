import { describe, expect, it } from '@jest/globals';
import { LayeredVectorIndex } from '../../../src/search/vectors/layered.ts';
import { newMemoryRows } from '../../support/memory-rows.ts';
import { seededRandom } from '../../support/random.ts';
import { structuredVectors } from '../../support/structured-vectors.ts';

const DIMENSION = 64;
const random = seededRandom('layered vector index');
const nextVector = structuredVectors(random, DIMENSION);

/** Each read of the clock takes a millisecond, so a budget is a number of vectors. */
function indexOf(count: number, exactMax: number): LayeredVectorIndex {
  let now = 0;
  const index = new LayeredVectorIndex({ dimension: DIMENSION, newRows: newMemoryRows, exactMax, nowMs: () => now++ });
  for (let key = 1; key <= count; key++) index.set(key, nextVector());
  return index;
}

function finish(index: LayeredVectorIndex): void {
  while (index.advance(1000));
}

describe('LayeredVectorIndex', () => {
  it('advance › up to exactMax vectors › builds no graph', () => {
    const index = indexOf(100, 100);
    expect(index.advance(10)).toBe(false);
    expect(index.exactCount).toBe(100);
  });

  it('advance › more than exactMax vectors › stops when its time is up and continues next time', () => {
    const index = indexOf(101, 100);
    expect(index.advance(10)).toBe(true);
    expect(index.exactCount).toBe(65);
    expect(index.advance(0)).toBe(true);
    expect(index.exactCount).toBe(59);
    expect(index.advance(1000)).toBe(false);
    expect(index.exactCount).toBe(0);
    expect(index.advance(1000)).toBe(false);
  });

  it('advance › most vectors deleted › rebuilds without the slots of the deleted ones', () => {
    const index = indexOf(1000, 200);
    finish(index);
    const full = index.bytes;
    for (let key = 1; key <= 600; key++) index.delete(key);
    expect(index.exactCount).toBe(0);
    expect(index.advance(1)).toBe(true);
    expect(index.exactCount).toBe(394);
    finish(index);
    expect(index.exactCount).toBe(0);
    expect(index.size).toBe(400);
    expect(index.bytes).toBeLessThan(full);
  });

  it('advance › far fewer vectors than exactMax left › drops the graph', () => {
    const index = indexOf(300, 200);
    finish(index);
    for (let key = 1; key <= 201; key++) index.delete(key);
    expect(index.advance(1)).toBe(false);
    expect(index.exactCount).toBe(99);
    expect(index.search(nextVector(), 1000)).toHaveLength(99);
  });

  it('advance › every vector replaced › reuses the graph', () => {
    const index = indexOf(400, 100);
    finish(index);
    const { bytes } = index;
    for (let key = 1; key <= 400; key++) {
      index.set(key, nextVector());
      index.advance(10);
    }
    expect(index.exactCount).toBe(0);
    expect(index.bytes).toBe(bytes);
  });

  it('search › 4,000 clustered vectors in the graph › recall@10 and @100 at least 0.98', () => {
    const next = structuredVectors(random, 128);
    const index = new LayeredVectorIndex({ dimension: 128, newRows: newMemoryRows, exactMax: 1000 });
    for (let key = 1; key <= 4000; key++) index.set(key, next());
    finish(index);
    for (const limit of [10, 100]) {
      let found = 0;
      for (let round = 0; round < 100; round++) {
        const query = next();
        const truth = new Set(index.search(query, limit, { exact: true }).map(({ key }) => key));
        found += index.search(query, limit).filter(({ key }) => truth.has(key)).length;
      }
      expect(found / (100 * limit)).toBeGreaterThanOrEqual(0.98);
    }
  });
});
