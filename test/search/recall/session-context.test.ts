import { describe, expect, it } from '@jest/globals';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import { SequenceScores } from '../../../src/search/recall/sequence-scores.ts';
import { SessionContext, type Surroundings, totalOf } from '../../../src/search/recall/session-context.ts';

/** Memories 1 to 5 of one session, of two speakers in turn, and memory 6 without a session. */
function conversation(): NamespaceColumns {
  const columns = new NamespaceColumns();
  for (let at = 1; at <= 6; at++) {
    columns.put(at, {
      key: at,
      session: at === 6 ? '' : 's',
      speaker: at % 2 ? 'Ann' : 'Ben',
      eventAtUs: at,
      importance: 0.5,
      expiresAtUs: Number.POSITIVE_INFINITY,
      superseded: false,
    });
  }
  return columns;
}

function withSurroundings(
  scores: ReadonlyMap<number, number>,
  columns: NamespaceColumns,
  named: ReadonlySet<number>,
  weight: number,
): Map<number, Surroundings> {
  const context = new SessionContext();
  // The result of an earlier question must not remain.
  context.read({ scores: SequenceScores.from([[1, 99]]), columns, named: new Set([0, 1]), weight: 1 });
  context.read({ scores: SequenceScores.from(scores), columns, named, weight });
  const all = new Map<number, Surroundings>();
  for (const sequence of context.totals.found) {
    const parts = context.partsOf(sequence);
    expect(totalOf(parts)).toBe(context.totals.get(sequence));
    all.set(sequence, parts);
  }
  return all;
}

describe('SessionContext', () => {
  it('adds shares of a score to the next, the previous and the next but one memory of the session', () => {
    const all = withSurroundings(new Map([[2, 10]]), conversation(), new Set(), 1);
    expect([1, 2, 3, 4, 5].map((at) => all.get(at)?.neighbors)).toEqual([2, 0, 4, 2, undefined]);
  });

  it('adds half the mean of its three best to every candidate of a session', () => {
    const all = withSurroundings(new Map([[2, 10]]), conversation(), new Set(), 1);
    expect(all.get(4)?.session).toBeCloseTo((0.5 * (10 + 4 + 2)) / 3, 10);
  });

  it('adds nothing to neighbours of a memory without a session', () => {
    const all = withSurroundings(new Map([[6, 10]]), conversation(), new Set(), 1);
    expect([...all]).toEqual([[6, { own: 10, neighbors: 0, speaker: 0, session: 0 }]]);
  });

  it('raises memories of a named speaker', () => {
    const columns = conversation();
    const all = withSurroundings(
      new Map([
        [6, 10],
        [5, 10],
      ]),
      columns,
      new Set([columns.speakerOf(5)]),
      0,
    );
    expect([all.get(5), all.get(6)].map((parts) => parts && totalOf(parts))).toEqual([13, 10]);
  });

  it('leaves the scores alone with a weight of 0', () => {
    const all = withSurroundings(
      new Map([
        [2, 10],
        [3, 1],
      ]),
      conversation(),
      new Set(),
      0,
    );
    expect([...all.values()].map(totalOf)).toEqual([10, 1]);
  });
});
