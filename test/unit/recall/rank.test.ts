import { describe, expect, it } from '@jest/globals';
import { NamespaceColumns } from '../../../src/recall/namespace-columns.ts';
import { type Candidate, componentsOf, ranked, recencyOf } from '../../../src/recall/rank.ts';

const weights = { keyword: 1, vector: 0.5, recency: 0.1, importance: 0.2, session: 1 };
const ranking = { weights, halfLifeUs: 1000, nowUs: 5000 };

function columnsOf(rows: readonly { eventAtUs: number; importance: number }[]): NamespaceColumns {
  const columns = new NamespaceColumns();
  rows.forEach((row, place) => {
    columns.put(place + 1, {
      ...row,
      key: place + 1,
      session: '',
      speaker: '',
      expiresAtUs: Number.POSITIVE_INFINITY,
      superseded: false,
    });
  });
  return columns;
}

function candidate(sequence: number, changes: Partial<Candidate> = {}): Candidate {
  return { sequence, keywordRank: 0, vectorRank: 0, similarity: 0, ...changes };
}

describe('ranked', () => {
  it('orders equal scores by event time, newest first, then by storing', () => {
    const columns = columnsOf([5000, 9000, 5000, 7000].map((eventAtUs) => ({ eventAtUs, importance: 0.5 })));
    const order = ranked(
      [1, 2, 3, 4].map((sequence) => candidate(sequence)),
      columns,
      ranking,
    );
    expect(order.map((hit) => hit.candidate.sequence)).toEqual([2, 4, 1, 3]);
  });

  it('lets a lane with a small weight order what a better lane does not know, and not drag it down', () => {
    const columns = columnsOf([1, 2, 3].map(() => ({ eventAtUs: 5000, importance: 0.5 })));
    const order = ranked(
      [
        candidate(1, { keywordRank: 1, vectorRank: 40 }),
        candidate(2, { vectorRank: 1 }),
        candidate(3, { vectorRank: 2 }),
      ],
      columns,
      ranking,
    );
    expect(order.map((hit) => hit.candidate.sequence)).toEqual([1, 2, 3]);
  });
});

describe('componentsOf', () => {
  it('adds up to the score', () => {
    const columns = columnsOf([{ eventAtUs: 4000, importance: 0.7 }]);
    const surroundings = { own: 4, neighbors: 1, speaker: 3, session: 0.5 };
    const found = candidate(1, { keywordRank: 3, surroundings, vectorRank: 2, similarity: 0.8 });
    const [hit] = ranked([found], columns, ranking);
    const components = componentsOf(found, columns, ranking);
    expect(components.reduce((sum, part) => sum + part.contribution, 0)).toBeCloseTo(hit?.score ?? 0, 12);
    expect(components.map((part) => part.name)).toEqual([
      'keyword',
      'neighbors',
      'speaker',
      'session',
      'vector',
      'recency',
      'importance',
    ]);
  });
});

describe('recencyOf', () => {
  it.each([
    [5000, 1],
    [4000, 0.5],
    [3000, 0.25],
    [9000, 1],
  ])('of an event at %d is %d', (eventAtUs, recency) => {
    expect(recencyOf(eventAtUs, 5000, 1000)).toBeCloseTo(recency, 12);
  });
});
