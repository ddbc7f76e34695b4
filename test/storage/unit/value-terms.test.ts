import { describe, expect, it } from '@jest/globals';
import { compareTexts } from '../../../src/memory/values.ts';
import {
  greaterValues,
  lesserValues,
  oneValue,
  type TermRange,
  textsFrom,
  valueTerm,
} from '../../../src/storage/sqlite/value-terms.ts';
import { seededRandom } from '../../support/random.ts';
import { NUMBERS, randomText } from '../../support/random-memories.ts';

const COUNT = 3000;

function isIn(value: string | number | boolean | null, { low, high }: TermRange): boolean {
  const term = valueTerm(value);
  return term >= low && term < high;
}

describe('terms of values', () => {
  const random = seededRandom('value terms');
  const bits = Buffer.alloc(8);
  const randomNumber = (): number => {
    if (random.chance(0.3)) return random.pick([...NUMBERS, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
    for (let at = 0; at < 8; at++) bits[at] = random.int(256);
    return bits.readDoubleBE() || 1;
  };

  it('numbers › ranges hold the lesser, equal or greater ones, and no values of another kind', () => {
    for (let at = 0; at < COUNT; at++) {
      const [a, b] = [randomNumber(), randomNumber()];
      expect([a, b, isIn(a, lesserValues(b, false))]).toEqual([a, b, a < b]);
      expect([a, b, isIn(a, lesserValues(b, true))]).toEqual([a, b, a <= b]);
      expect([a, b, isIn(a, greaterValues(b, false))]).toEqual([a, b, a > b]);
      expect([a, b, isIn(a, greaterValues(b, true))]).toEqual([a, b, a >= b]);
      expect([a, b, isIn(a, oneValue(b))]).toEqual([a, b, a === b]);
      for (const other of ['', String(a), true, false, null]) expect(isIn(other, greaterValues(b, true))).toBe(false);
    }
  });

  it('texts › ranges hold texts before, equal, after and with the prefix, by code points', () => {
    for (let at = 0; at < COUNT; at++) {
      const [a, b] = [randomText(random), randomText(random)];
      expect([a, b, isIn(a, lesserValues(b, false))]).toEqual([a, b, compareTexts(a, b) < 0]);
      expect([a, b, isIn(a, greaterValues(b, true))]).toEqual([a, b, compareTexts(a, b) >= 0]);
      expect([a, b, isIn(a, oneValue(b))]).toEqual([a, b, a === b]);
      expect([a, b, isIn(a, textsFrom(b))]).toEqual([a, b, a.startsWith(b)]);
      for (const other of [0, 5, true, false, null]) expect(isIn(other, greaterValues('', true))).toBe(false);
    }
  });
});
