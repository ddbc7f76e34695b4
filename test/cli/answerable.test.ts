import { describe, expect, it } from '@jest/globals';
import { areaUnderCurve } from '../../src/cli/eval/answerable.ts';

const asked = (hasAnswer: boolean, ...bests: readonly number[]) => bests.map((best) => ({ best, hasAnswer }));

describe('areaUnderCurve', () => {
  it.each([
    ['all with an answer are better', [0.9, 0.8], [0.1, 0.2], 1],
    ['all are worse', [0.1], [0.5, 0.6], 0],
    ['all are equal', [0.5, 0.5], [0.5], 0.5],
    ['one pair of four is wrong', [0.9, 0.3], [0.4, 0.2], 0.75],
    ['a tie counts a half', [0.9, 0.4], [0.4, 0.2], 0.875],
  ])('%s', (_, withAnswer, without, expected) => {
    expect(areaUnderCurve([...asked(true, ...withAnswer), ...asked(false, ...without)])).toBeCloseTo(expected);
  });

  it('is not a number where one kind is missing', () => {
    expect(areaUnderCurve(asked(true, 0.4))).toBeNaN();
  });
});
