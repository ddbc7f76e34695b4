import { describe, expect, it } from '@jest/globals';
import { vectorFromBytes, vectorToBytes } from '../../../src/memory/resolution/plain-vector.ts';

const VALUES = Float32Array.of(0.1, -1 / 3, 1e30, 0);
const mismatch = expect.objectContaining({ reason: 'CHECKSUM_MISMATCH' });

describe('an original vector', () => {
  it.each([0, 1, 4])('of %i values › comes back bit for bit, wherever its bytes begin', (count) => {
    const values = VALUES.subarray(0, count);
    const kept = Buffer.concat([Buffer.alloc(3), vectorToBytes(values)]).subarray(3);
    expect(vectorFromBytes(kept)).toEqual(values);
  });

  it('any bit another, or cut off amid a value › CHECKSUM_MISMATCH', () => {
    const kept = vectorToBytes(VALUES);
    for (let bit = 0; bit < kept.length * 8; bit++) {
      const damaged = Buffer.from(kept.with(bit >> 3, (kept[bit >> 3] ?? 0) ^ (1 << (bit & 7))));
      expect(() => vectorFromBytes(damaged)).toThrow(mismatch);
    }
    for (const cut of [2, 3, 4]) expect(() => vectorFromBytes(kept.subarray(0, -cut))).toThrow(mismatch);
  });

  it('of a folder from before checksums › is accepted unchecked', () => {
    expect(vectorFromBytes(new Uint8Array(VALUES.slice().buffer))).toEqual(VALUES);
  });
});
