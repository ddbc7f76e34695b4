import { describe, expect, it } from '@jest/globals';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import {
  type Candidate,
  componentsOf,
  learnedValue,
  placesThatCount,
  ranked,
  recencyOf,
  vectorPlacesThatCount,
} from '../../../src/search/recall/rank.ts';
import { seededRandom } from '../../support/random.ts';

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

  it('lets a lane with a small weight order what a better lane does not find, without lowering the rest', () => {
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

describe('ranked, in the learned order', () => {
  const learned = (sequence: number, score: number): Candidate =>
    candidate(sequence, {
      keywordRank: sequence,
      learned: {
        sequence,
        slot: -1,
        score,
        rows: new Float32Array(),
        at: 0,
        moved: 0,
        relevance: 0.5,
        size: 2,
        isOpenQuestion: false,
      },
    });
  const older = columnsOf([3000, 5000].map((eventAtUs) => ({ eventAtUs, importance: 0.5 })));
  const orderOf = (scores: readonly number[], recency: number) => {
    const found = scores.map((score, at) => learned(at + 1, score));
    const provided = { ...ranking, weights: { ...weights, recency, importance: 0.05 } };
    return ranked(found, older, provided).map((hit) => hit.candidate.sequence);
  };

  it('puts the better one first, and the newer one of near ties', () => {
    expect(orderOf([-0.72, -4.01], 0.05)).toEqual([1, 2]);
    expect(orderOf([-0.72, -0.9], 0.05)).toEqual([2, 1]);
  });

  it('ranks new memories first for a caller who raises the weight of recency', () => {
    expect(orderOf([-0.72, -4.01], 1)).toEqual([2, 1]);
  });

  it('distinguishes very low scores, and counts none as little as a missing one', () => {
    const values = [3, -7.9, -8, -8.1, -12, -30].map(learnedValue);
    expect(values).toEqual([...values].sort((a, b) => b - a));
    expect(new Set(values).size).toBe(values.length);
    expect(values.at(-1)).toBeGreaterThan(0);
  });

  it('ranks hits outside of the order behind those in it', () => {
    const behind = candidate(2, { keywordRank: 3, placeShare: 0.2 });
    const order = ranked([behind, learned(1, -8)], older, { ...ranking, weights: { ...weights, recency: 0 } });
    expect(order.map((hit) => hit.candidate.sequence)).toEqual([1, 2]);
  });
});

describe('placesThatCount', () => {
  const order = [3, 2, 1.5, 0.4, -5].map((score) => ({ score, relevance: score / 10 }));

  it.each([
    ['near ties of the last hit that is wanted', 2, 0.05, 3],
    ['more with heavier weights', 2, 0.5, 4],
    ['nothing else without them', 2, 0, 2],
    ['all where fewer were found than are wanted', 9, 0.05, 5],
  ])('counts %s', (_, limit, weight, places) => {
    const provided = { limit, weights: { ...weights, recency: weight, importance: 0 } };
    expect(placesThatCount(order, provided)).toBe(places);
  });

  it('counts as many relevant hits, wherever they are', () => {
    const mixed = [0.01, 0.02, 0.2, 0.03, 0.3].map((relevance, at) => ({ relevance, score: 3 - at }));
    const provided = { limit: 2, weights: { ...weights, recency: 0, importance: 0 } };
    expect(placesThatCount(mixed, { ...provided, minRelevance: 0.07 })).toBe(5);
    expect(placesThatCount(mixed, { ...provided, limit: 1, minRelevance: 0.07 })).toBe(3);
    expect(placesThatCount(mixed, { ...provided, minRelevance: 0 })).toBe(2);
  });
});

describe('vectorPlacesThatCount', () => {
  it('no later place is among the first hits, whatever the memories of the namespace', () => {
    const random = seededRandom('vector places');
    const placesSeen = new Set<number>();
    for (let round = 0; round < 300; round++) {
      const [spread, ageUs] = [random.pick([0, 0.1, 1]), random.pick([10, 1000, 100_000])];
      const rows = Array.from({ length: 100 }, () => ({
        eventAtUs: 200_000 - ageUs * (1 + random.next()),
        importance: 0.5 + spread * (random.next() - 0.5),
      }));
      const columns = columnsOf(rows);
      const limit = 1 + random.int(30);
      const weight = () => random.pick([0, 0.05, 0.5]);
      const query = {
        limit,
        nowUs: 200_000,
        halfLifeUs: random.pick([100, 10_000]),
        weights: { ...weights, vector: random.pick([0.5, 1, 2]), recency: weight(), importance: weight() },
      };
      const places = vectorPlacesThatCount(query, columns);
      placesSeen.add(places);
      expect(places).toBeGreaterThanOrEqual(limit);
      const order = ranked(
        rows.map((_, at) => candidate(at + 1, { vectorRank: at + 1, similarity: 1 - at / 100 })),
        columns,
        query,
      );
      for (const hit of order.slice(0, limit)) expect(hit.candidate.vectorRank).toBeLessThanOrEqual(places);
    }
    expect(placesSeen.size).toBeGreaterThan(30);
  });

  it('memories of one importance and of long ago › the hits alone', () => {
    const columns = columnsOf(Array.from({ length: 20 }, () => ({ eventAtUs: 0, importance: 0.5 })));
    const query = { ...ranking, nowUs: 1e9, limit: 10 };
    expect(vectorPlacesThatCount(query, columns)).toBeLessThanOrEqual(11);
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

describe('componentsOf, of an adjusted hit', () => {
  it.each([1, -7, -20])('the changes of all adjustments add up to the score (%d)', (score) => {
    const parts = {
      'asked time': 3,
      'newer statement': 0,
      'only asks': -1.5,
      negation: 1,
      'on or off': 0,
      summary: 0,
      verbatim: 0,
      'further step': 0,
    };
    const adjustment = { total: 2.5, parts, outdatedBy: -1, relevanceMin: 0 };
    const learned = {
      sequence: 1,
      slot: -1,
      score,
      rows: new Float32Array(),
      at: 0,
      moved: 0,
      relevance: 0.5,
      size: 1,
      isOpenQuestion: true,
      adjustment,
    };
    const columns = columnsOf([{ eventAtUs: 5000, importance: 0.5 }]);
    const found = candidate(1, { keywordRank: 1, learned });
    const components = componentsOf(found, columns, ranking);
    expect(components.map(({ name, value }) => [name, value]).slice(0, 4)).toEqual([
      ['relevance', score - 2.5],
      ['asked time', 3],
      ['only asks', -1.5],
      ['negation', 1],
    ]);
    const [hit] = ranked([found], columns, ranking);
    expect(components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(hit?.score ?? 0);
  });
});
