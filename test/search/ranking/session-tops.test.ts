import { describe, expect, it } from '@jest/globals';
import { SessionTops } from '../../../src/search/ranking/lane-scores.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import { SequenceScores } from '../../../src/search/recall/sequence-scores.ts';

function columnsOf(sessions: readonly string[]): NamespaceColumns {
  const columns = new NamespaceColumns();
  sessions.forEach((session, key) => {
    const row = { key, session, speaker: '', eventAtUs: key, importance: 0, superseded: false };
    columns.put(key, { ...row, expiresAtUs: Number.POSITIVE_INFINITY });
  });
  return columns;
}

describe('SessionTops', () => {
  const columns = columnsOf(['a', 'a', 'b', 'a', 'a', '', 'b']);
  const scores = [1, 5, 2, 3, 4, 9, 0];

  it('is the mean of the best three, in whatever order they arrive', () => {
    for (const order of [
      [0, 1, 2, 3, 4, 5],
      [4, 3, 2, 1, 0, 5],
      [1, 0, 4, 3, 5, 2],
    ]) {
      const tops = new SessionTops();
      tops.read(SequenceScores.from(order.map((at) => [at, scores[at] ?? 0] as const)), columns);
      expect(tops.mean(columns.sessionOf(0))).toBeCloseTo(4, 6);
      expect(tops.mean(columns.sessionOf(2))).toBeCloseTo(2 / 3, 6);
      expect(tops.mean(columns.sessionOf(5))).toBe(0);
    }
  });

  it('forgets the question before', () => {
    const tops = new SessionTops();
    tops.read(SequenceScores.from([[0, 3]]), columns);
    tops.read(new SequenceScores(), columns);
    expect(tops.mean(columns.sessionOf(0))).toBe(0);
  });
});
