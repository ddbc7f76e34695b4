import { describe, expect, it } from '@jest/globals';
import { METRICS, percentile, scoreRanking, scoreTable } from '../../../../tools/eval/score.ts';
import { syntheticRankings } from '../support/synthetic-set.ts';

/** Figures of the scorer of the LoCoMo development set (`score.py`) for the same run, in the order of METRICS. */
const REFERENCE: Readonly<Record<string, readonly number[]>> = {
  all: [5.6854, 9.9838, 24.2766, 47.0371, 28.3333, 48.3333, 68.3333, 85.0, 18.7562, 8.3337],
  macro: [6.6499, 10.2733, 24.2172, 44.6907, 28.7037, 47.2222, 67.5926, 82.4074, 19.8552, 8.7528],
  'multi-hop': [4.8611, 8.1981, 19.8725, 40.4726, 25.0, 41.6667, 66.6667, 83.3333, 21.5252, 9.2223],
  'single-hop': [4.2385, 9.5496, 24.3657, 50.5567, 27.7778, 50.0, 69.4444, 88.8889, 17.1078, 7.705],
  temporal: [10.8502, 13.0724, 28.4133, 43.0429, 33.3333, 50.0, 66.6667, 75.0, 20.9325, 9.3312],
};

describe('scores of a run', () => {
  it('over all questions and by category › are those of the reference scorer', () => {
    const table = scoreTable(syntheticRankings());

    expect([...table.keys()]).toEqual(Object.keys(REFERENCE));
    for (const [group, { scores }] of table) {
      for (const [index, metric] of METRICS.entries()) {
        expect(scores[metric]).toBeCloseTo(REFERENCE[group]?.[index] ?? Number.NaN, 3);
      }
    }
  });

  it('an id that comes again › keeps its first place and uses up the later one', () => {
    const scores = scoreRanking({ evidence: ['a', 'b'], ranked: ['x', 'a', 'a', 'a', 'a', 'b'] });

    expect(scores).toMatchObject({ 'recall@5': 0.5, 'recall@10': 1, mrr: 0.5 });
  });

  it('what comes after rank 50 › does not count', () => {
    const ranked = [...Array.from({ length: 50 }, (_, n) => `x${n}`), 'a'];

    expect(scoreRanking({ evidence: ['a'], ranked })).toMatchObject({ 'recall@50': 0, 'hit@50': 0, mrr: 0 });
  });
});

describe('percentiles', () => {
  it('of latencies › are the values that the share does not pass', () => {
    const values = Array.from({ length: 100 }, (_, n) => 100 - n);

    expect([0.5, 0.9, 0.99, 1].map((share) => percentile(values, share))).toEqual([50, 90, 99, 100]);
    expect(percentile([3], 0.5)).toBe(3);
  });
});
