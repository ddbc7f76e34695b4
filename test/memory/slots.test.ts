import { describe, expect, it } from '@jest/globals';
import { Slots } from '../../src/memory/slots.ts';
import { seededRandom } from '../support/random.ts';

describe('slots', () => {
  it('a removed item is returned once, and its number is reused', () => {
    const slots = new Slots<{ readonly name: string }>();
    const [one, two] = [slots.add({ name: 'one' }), slots.add({ name: 'two' })];

    expect(slots.take(one)).toEqual({ name: 'one' });
    expect(slots.take(one)).toBeUndefined();
    expect(slots.size).toBe(1);
    expect(slots.add({ name: 'three' })).toBe(one);
    expect(slots.all()).toEqual([{ name: 'three' }, { name: 'two' }]);
    expect(slots.take(two)).toEqual({ name: 'two' });
  });

  it('an unused number › undefined, and nothing changes', () => {
    const slots = new Slots<object>();
    expect([slots.take(0), slots.take(-1), slots.take(7)]).toEqual([undefined, undefined, undefined]);
    expect(slots.size).toBe(0);
    expect(slots.add({})).toBe(0);
  });

  it('cleared › empty and reusable', () => {
    const slots = new Slots<object>();
    const items = [{}, {}, {}];
    for (const item of items) slots.add(item);
    slots.take(1);
    expect(slots.takeAll()).toEqual([items[0], items[2]]);
    expect([slots.size, slots.all(), slots.add({})]).toEqual([0, [], 0]);
  });

  it('any sequence › has the contents of a map', () => {
    const random = seededRandom('slots');
    const slots = new Slots<{ readonly value: number }>();
    const expected = new Map<number, { readonly value: number }>();
    for (let step = 0; step < 2000; step++) {
      if (expected.size > 0 && random.chance(0.5)) {
        const taken = random.pick([...expected.keys()]);
        expect(slots.take(taken)).toBe(expected.get(taken));
        expected.delete(taken);
      } else {
        const item = { value: step };
        const slot = slots.add(item);
        expect(expected.has(slot)).toBe(false);
        expected.set(slot, item);
      }
      expect(slots.size).toBe(expected.size);
    }
    expect(new Set(slots.all())).toEqual(new Set(expected.values()));
  });
});
