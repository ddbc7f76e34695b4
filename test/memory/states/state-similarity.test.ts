import { describe, expect, it } from '@jest/globals';
import { numberSimilarity, spreadOf } from '../../../src/memory/states/state-similarity.ts';

describe('numberSimilarity', () => {
  it('is 1 for equal numbers and falls with the difference by the spread', () => {
    expect(numberSimilarity(5, 5, 0)).toBe(1);
    expect(numberSimilarity(5, 15, 10)).toBe(0.5);
    expect(numberSimilarity(15, 5, 10)).toBe(0.5);
    expect(numberSimilarity(100, 95, 10)).toBeCloseTo(2 / 3, 12);
  });

  it('uses the greater amount where the field has no spread', () => {
    expect(numberSimilarity(12, 10, 0)).toBeCloseTo(12 / 14, 12);
    expect(numberSimilarity(0, 0, 0)).toBe(1);
    expect(numberSimilarity(-1, 1, 0)).toBeCloseTo(1 / 3, 12);
  });

  it('stays within 0 and 1 for the greatest and the least numbers', () => {
    const numbers = [0, -0, 1, -1, Number.MIN_VALUE, Number.MAX_VALUE, -Number.MAX_VALUE, 1e-300];
    for (const one of numbers) {
      for (const other of numbers) {
        for (const spread of [0, Number.MIN_VALUE, 1, Number.MAX_VALUE]) {
          const similarity = numberSimilarity(one, other, spread);
          expect(similarity >= 0 && similarity <= 1).toBe(true);
        }
      }
    }
  });
});

describe('spreadOf', () => {
  it('is the distance of the 10 % and 90 % quantiles, so that an outlier changes nothing', () => {
    const values = Array.from({ length: 21 }, (_, index) => index);
    expect(spreadOf(values)).toBe(16);
    expect(spreadOf([...values.slice(0, 20), 1e12])).toBe(16);
  });

  it('is the whole range where the quantiles are equal, and 0 where all values are', () => {
    expect(spreadOf([...Array(30).fill(3), 9])).toBe(6);
    expect(spreadOf([3, 3, 3])).toBe(0);
    expect(spreadOf([3])).toBe(0);
    expect(spreadOf([])).toBe(0);
    expect(spreadOf([-Number.MAX_VALUE, Number.MAX_VALUE])).toBe(Number.MAX_VALUE);
  });
});
