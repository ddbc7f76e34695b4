import { describe, expect, it, jest } from '@jest/globals';
import {
  expandVector,
  lowerVector,
  packVector,
  reduceVector,
  restoreVector,
  unpackVector,
} from '../../../src/memory/resolution/lower-vector.ts';
import type { VectorForm } from '../../../src/memory/resolution/resolution.ts';
import { seededRandom, type TestRandom } from '../../support/random.ts';

const FORMS: readonly VectorForm[] = ['f32', 'bf16', 'i8'];

/** Directions typical for embedders, and occasionally the limits of f32. */
function randomVector(random: TestRandom, dimension: number): Float32Array {
  const odd = [0, -0, 1e-45, -1e-40, 3.4028234663852886e38, -3.4028234663852886e38, 1];
  const isOdd = random.chance(0.2);
  return Float32Array.from({ length: dimension }, () =>
    isOdd && random.chance(0.3) ? random.pick(odd) : (random.next() + random.next() - 1) * 0.1,
  );
}

const bits = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('hex');
const shifted = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.alloc(1), bytes, Buffer.alloc(2)]).subarray(1, 1 + bytes.length);

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}

describe('vectors of lower tiers', () => {
  it('any vector in any form › the exact one comes back bit for bit', () => {
    const random = seededRandom('vectors');
    for (let i = 0; i < 500; i++) {
      const dimension = 1 + random.int(random.chance(0.1) ? 4096 : 400);
      const values = randomVector(random, dimension);
      const reduced = reduceVector(values, { vector: random.pick(FORMS), vectorDimension: random.int(dimension + 2) });
      expect(bits(unpackVector(shifted(packVector(values, reduced)), shifted(reduced)))).toBe(bits(values));
    }
  });

  it('a view into a larger buffer › only its own values count', () => {
    const all = Float32Array.from({ length: 30 }, (_, at) => at / 7);
    const view = all.subarray(5, 15);
    for (const vector of FORMS) {
      const small = reduceVector(view, { vector, vectorDimension: 0 });
      expect(bits(unpackVector(packVector(view, small), small))).toBe(bits(view.slice()));
    }
  });

  it('bf16 and i8 › accurate enough for ranking: cosine above 0.9999 and 0.999', () => {
    const random = seededRandom('near vectors');
    for (let i = 0; i < 50; i++) {
      const values = Float32Array.from({ length: 384 }, () => random.next() - 0.5);
      const near = (vector: VectorForm) =>
        expandVector(shifted(reduceVector(values, { vector, vectorDimension: 0 })), 384);
      expect(bits(near('f32'))).toBe(bits(values));
      expect(cosine(near('bf16'), values)).toBeGreaterThan(0.9999);
      expect(cosine(near('i8'), values)).toBeGreaterThan(0.999);
    }
  });

  it('the leading values only › the others are 0', () => {
    const values = Float32Array.of(1, 2, 3, 4);
    const small = reduceVector(values, { vector: 'f32', vectorDimension: 2 });
    expect([...expandVector(small, 4)]).toEqual([1, 2, 0, 0]);
  });

  it('a reused buffer › keeps nothing of its former values', () => {
    const written = (values: Float32Array, filler: number) => {
      const allocate = jest.spyOn(Buffer, 'allocUnsafe').mockImplementation((size) => Buffer.alloc(size, filler));
      try {
        return FORMS.map((vector) => lowerVector(values, { vector, vectorDimension: values.length - 1 }));
      } finally {
        allocate.mockRestore();
      }
    };
    for (const value of [0.5, 1e-45]) {
      const values = new Float32Array(11).fill(value);
      expect(written(values, 255)).toEqual(written(values, 0));
    }
  });

  it('the packed remainder › no more than the exact vector alone would take', () => {
    const random = seededRandom('sizes');
    const values = Float32Array.from({ length: 384 }, () => random.next() - 0.5);
    for (const vector of ['bf16', 'i8'] as const) {
      const lowered = lowerVector(values, { vector, vectorDimension: 0 });
      expect((lowered?.small.length ?? 0) + (lowered?.rest.length ?? 0)).toBeLessThan(384 * 4 + 64);
    }
    expect(lowerVector(values, { vector: 'f32', vectorDimension: 0 })).toBeUndefined();
    expect(lowerVector(values, { vector: 'f32', vectorDimension: 384 })).toBeUndefined();
  });

  it('damaged bytes › noticed', () => {
    const values = Float32Array.from({ length: 40 }, (_, at) => Math.sin(at));
    const { small, rest } = lowerVector(values, { vector: 'i8', vectorDimension: 0 }) ?? {
      small: new Uint8Array(),
      rest: new Uint8Array(),
    };
    const mismatch = expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' });
    for (let at = 0; at < rest.length; at++) {
      expect(() => restoreVector({ small, rest: rest.with(at, (rest[at] ?? 0) ^ 16) })).toThrow(mismatch);
    }
    expect(() => restoreVector({ small, rest: rest.subarray(0, 9) })).toThrow(mismatch);
    expect(() => expandVector(Buffer.from([9, 1, 2]), 40)).toThrow(mismatch);
    expect(() => expandVector(small, 10)).toThrow(mismatch);
    expect(() => expandVector(new Uint8Array(), 10)).toThrow(mismatch);
    expect(() => restoreVector({ small: small.with(20, 55), rest })).toThrow(mismatch);
  });

  it('one changed bit of the vector used for ranking › detected; bytes from before checksums are accepted', () => {
    const values = Float32Array.from({ length: 40 }, (_, at) => Math.sin(at));
    const mismatch = expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' });
    for (const vector of ['f32', 'bf16', 'i8'] as const) {
      const small = reduceVector(values, { vector, vectorDimension: 32 });
      for (let at = 0; at < small.length; at++) {
        // Without the bit for the checksum, the bytes count as unchecked, of another length.
        expect(() => expandVector(small.with(at, (small[at] ?? 0) ^ (at === 0 ? 1 : 64)), 32)).toThrow(mismatch);
      }
      const before = small.slice(0, -4).with(0, (small[0] ?? 0) & ~0x40);
      expect(bits(expandVector(before, 40))).toBe(bits(expandVector(small, 40)));
    }
  });
});
