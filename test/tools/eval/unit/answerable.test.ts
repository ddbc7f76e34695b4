import { describe, expect, it } from '@jest/globals';
import { areaUnderCurve, errorsAt, reliabilityOf } from '../../../../tools/eval/score.ts';

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

describe('errorsAt', () => {
  it('counts each kind among its own', () => {
    const questions = [...asked(true, 0.1, 0.5, 0.9, 0.5), ...asked(false, 0.4, 0.5)];
    expect(errorsAt(0.5, questions)).toEqual({ falseSilence: 0.25, falseAnswers: 0.5 });
  });
});

describe('reliabilityOf', () => {
  it('of a perfect relevance is without error', () => {
    const hits = Array.from({ length: 10 }, (_, at) => ({ relevance: 0.7, isAnswer: at < 7 }));
    const { bins, expectedError } = reliabilityOf(hits);
    expect(expectedError).toBeCloseTo(0);
    expect(bins[7]).toMatchObject({ count: 10, answers: 0.7 });
  });

  it('weighs each bin by its hits', () => {
    const hits = [
      ...Array.from({ length: 3 }, () => ({ relevance: 1, isAnswer: false })),
      { relevance: 0, isAnswer: false },
    ];
    expect(reliabilityOf(hits).expectedError).toBeCloseTo(0.75);
  });
});
