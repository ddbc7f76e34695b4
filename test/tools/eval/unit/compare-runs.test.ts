import { describe, expect, it } from '@jest/globals';
import { compareRuns } from '../../../../tools/eval/compare.ts';
import { mulberry32 } from '../../../../tools/eval/mulberry32.ts';
import type { Ranking } from '../../../../tools/eval/score.ts';

function ranking(questionId: string, category: string, ranked: readonly string[]): Ranking {
  return { questionId, category, evidence: ['right'], ranked, relevances: [] };
}

const found = ['right', 'wrong'];
const missed = ['wrong', 'wrong too'];

function compared(now: readonly Ranking[], before: readonly (readonly [string, readonly string[]])[], seed = 1) {
  return compareRuns(now, new Map(before), { against: 'run.jsonl', random: mulberry32(seed) });
}

describe('comparison of two runs', () => {
  it('equal runs › have no difference and an interval of nothing', () => {
    const { questionCount, differences } = compared([ranking('a', 'x', found)], [['a', found]]);

    expect(questionCount).toBe(1);
    expect(differences.all?.['recall@10']).toEqual({ difference: 0, low: 0, high: 0, better: 0, worse: 0 });
  });

  it('differences › are means in points over all questions and over each category', () => {
    const now = [
      ranking('a', 'x', found),
      ranking('b', 'x', found),
      ranking('c', 'y', missed),
      ranking('d', 'y', found),
    ];
    const { differences } = compared(now, [
      ['a', missed],
      ['b', found],
      ['c', found],
      ['d', missed],
    ]);

    expect(differences.all?.['recall@10']).toMatchObject({ difference: 25, better: 2, worse: 1 });
    expect(differences.x?.['recall@10']).toMatchObject({ difference: 50, better: 1, worse: 0 });
    expect(differences.y?.['recall@10']).toMatchObject({ difference: 0, better: 1, worse: 1 });
    expect(Object.keys(differences)).toEqual(['all', 'x', 'y']);
  });

  it('questions of one run only › are counted and left out', () => {
    const now = [ranking('a', 'x', found), ranking('new', 'x', missed)];
    const result = compared(now, [
      ['a', found],
      ['old', found],
      ['older', found],
    ]);

    expect(result).toMatchObject({ questionCount: 1, added: 1, missing: 2 });
    expect(result.differences.all?.['recall@10']).toMatchObject({ difference: 0, better: 0, worse: 0 });
  });

  it('no question in common › is a comparison of none, without a number that is none', () => {
    const { questionCount, differences } = compared([ranking('a', 'x', found)], [['b', found]]);

    expect(questionCount).toBe(0);
    expect(differences.all?.['ndcg@10']).toEqual({ difference: 0, low: 0, high: 0, better: 0, worse: 0 });
  });

  // 100 pairs of which 30 improve and 10 worsen: mean 20 points, standard error 100 * sqrt(0.4 - 0.2^2) / 10 = 6.0.
  it('the interval › is 1.96 standard errors to each side of the mean, about', () => {
    const ids = Array.from({ length: 100 }, (_, at) => `q${at}`);
    const now = ids.map((id, at) => ranking(id, 'x', at < 90 ? found : missed));
    const before = ids.map((id, at) => [id, at < 30 ? missed : found] as const);
    const { difference, low, high } = compared(now, before).differences.all?.['recall@10'] ?? {};

    expect(difference).toBe(20);
    expect(low).toBeGreaterThan(20 - 11.76 - 2);
    expect(low).toBeLessThan(20 - 11.76 + 2);
    expect(high).toBeGreaterThan(20 + 11.76 - 2);
    expect(high).toBeLessThan(20 + 11.76 + 2);
  });

  it('the same seed › draws the same interval', () => {
    const now = Array.from({ length: 40 }, (_, at) => ranking(`q${at}`, 'x', at % 3 === 0 ? found : missed));
    const before = now.map(({ questionId }, at) => [questionId, at % 4 === 0 ? found : missed] as const);

    expect(compared(now, before, 7)).toEqual(compared(now, before, 7));
  });
});
