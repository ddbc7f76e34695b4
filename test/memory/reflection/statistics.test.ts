import { describe, expect, it } from '@jest/globals';
import {
  binomialUpperTail,
  comparisons,
  deviationOfSorted,
  fisherTest,
  fisherUpperTail,
  median,
  normalUpperTail,
  orderTest,
  ranksOf,
  rankTest,
  smallestFisher,
  stratifiedTest,
  studentTwoSided,
} from '../../../src/memory/reflection/statistics.ts';

describe('statistics of reflection', () => {
  it('Fisher’s test › the values of R’s fisher.test', () => {
    // The lady tasting tea, and R's documented example of criminal twins.
    expect(fisherTest({ presentHits: 3, present: 4, hits: 4, all: 8 })).toBeCloseTo(0.4857, 4);
    expect(fisherUpperTail({ presentHits: 3, present: 4, hits: 4, all: 8 })).toBeCloseTo(0.2429, 4);
    expect(fisherTest({ presentHits: 2, present: 17, hits: 12, all: 30 })).toBeCloseTo(0.0005367, 7);
    expect(fisherTest({ presentHits: 6, present: 6, hits: 6, all: 12 })).toBeCloseTo(2 / 924, 10);
    expect(smallestFisher({ present: 6, hits: 6, all: 12 })).toBeCloseTo(1 / 924, 10);
    expect(fisherTest({ presentHits: 5, present: 5, hits: 9, all: 9 })).toBeCloseTo(1, 10);
  });

  it('binomial, normal and t distribution › the values of tables', () => {
    expect(binomialUpperTail(6, 6)).toBeCloseTo(1 / 64, 10);
    expect(binomialUpperTail(8, 10)).toBeCloseTo(56 / 1024, 10);
    expect(normalUpperTail(1.959964)).toBeCloseTo(0.025, 6);
    expect(normalUpperTail(-1)).toBeCloseTo(0.841345, 5);
    expect(studentTwoSided(2.228139, 10)).toBeCloseTo(0.05, 5);
    expect(studentTwoSided(4.302653, 2)).toBeCloseTo(0.05, 5);
    expect(studentTwoSided(1.96, 1000)).toBeCloseTo(0.05, 3);
  });

  it('median and median absolute deviation › of sorted values', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    const sorted = [1, 1, 2, 2, 4, 6, 9];
    expect(deviationOfSorted(sorted, 2)).toBe(1);
    const even = [1, 2, 3, 10];
    expect(deviationOfSorted(even, 2.5)).toBe(1);
    expect(deviationOfSorted([5], 5)).toBe(0);
  });

  it('rank test › the value of R’s wilcox.test with continuity, and ties', () => {
    const ranked = ranksOf([0.8, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46, 1.15, 0.88, 0.9, 0.74, 1.21]);
    const rankSum = ranked.ranks.slice(0, 10).reduce((sum, rank) => sum + rank, 0);
    // W = 35, n = 10 and 5: z = (35 − 25 − 0.5) / √(50·16/12)
    expect(rankTest([{ rankSum, count: 10, ranked }])).toBeCloseTo(
      2 * normalUpperTail(9.5 / Math.sqrt((50 * 16) / 12)),
      6,
    );
    expect(ranksOf([2, 1, 2]).ranks).toEqual([2.5, 1, 2.5]);
    expect(rankTest([{ rankSum: 4, count: 2, ranked: ranksOf([1, 1, 1]) }])).toBe(1);
    expect(rankTest([])).toBe(1);
  });

  it('order test › 1 for values without a spread, small for values that rise', () => {
    expect(orderTest([1, 1, 1, 1, 1]).p).toBe(1);
    const rising = orderTest([1, 2, 3, 4, 5, 7, 6, 8, 9, 10]);
    expect(rising.correlation).toBeCloseTo(0.988, 3);
    expect(rising.p).toBeLessThan(1e-6);
  });

  it('stratified test › a difference that is in no stratum is none', () => {
    const same = { presentHits: 9, present: 10, hits: 18, all: 20 };
    const rare = { presentHits: 1, present: 10, hits: 2, all: 20 };
    expect(stratifiedTest([same, rare])).toBe(1);
    expect(stratifiedTest([{ presentHits: 10, present: 10, hits: 10, all: 20 }])).toBeLessThan(0.001);
    expect(stratifiedTest([])).toBe(1);
  });

  it('comparisons › tests that can never be clear are not counted', () => {
    expect(comparisons([0.2, 0.3, 0.5], 0.05)).toBe(1);
    expect(comparisons([0.001, 0.3, 0.5, 0.04], 0.05)).toBe(2);
    expect(comparisons(new Array<number>(20).fill(1e-6), 0.05)).toBe(20);
    expect(comparisons([], 0.05)).toBe(1);
  });
});
