import { describe, expect, it } from '@jest/globals';
import { KeySlots } from '../../../src/search/vectors/key-slots.ts';
import { seededRandom } from '../../support/random.ts';

const random = seededRandom('key slots');

describe('KeySlots', () => {
  it('keys set and deleted in any order, dense and far apart › equals a map', () => {
    const slots = new KeySlots();
    const model = new Map<number, number>();
    const anyKey = () => random.pick([1, 3 * 2 ** 32, Number.MAX_SAFE_INTEGER - 3000]) + random.int(3000);
    for (let step = 0; step < 20_000; step++) {
      const key = anyKey();
      if (random.chance(0.4)) {
        slots.delete(key);
        model.delete(key);
      } else {
        slots.set(key, step);
        model.set(key, step);
      }
      const other = anyKey();
      expect(slots.get(other)).toBe(model.get(other) ?? -1);
    }
    for (const [key, slot] of model) expect(slots.get(key)).toBe(slot);
  });

  it('all keys deleted › no memory remains', () => {
    const slots = new KeySlots();
    for (let key = 1; key <= 5000; key++) slots.set(key, key);
    expect(slots.bytes).toBeGreaterThan(20_000);
    for (let key = 1; key <= 5000; key++) slots.delete(key);
    expect(slots.bytes).toBe(0);
  });
});
