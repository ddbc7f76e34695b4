import { describe, expect, it } from '@jest/globals';
import { diversified, likeness, spreadComponents } from '../../../src/search/recall/diversity.ts';

const candidate = (sequence: number) => ({ sequence, keywordRank: 0, vectorRank: 0, similarity: 0 });
const order = (...scores: number[]) => scores.map((score, at) => ({ candidate: candidate(at + 1), score }));
const sequencesOf = (hits: readonly { candidate: { sequence: number } }[]) => hits.map((hit) => hit.candidate.sequence);
/** Memories 1 and 2 have the same statement, all others have different ones. */
const twins = (one: number, other: number) => (Math.max(one, other) === 2 ? 1 : 0);

describe('diversified', () => {
  it('0 › the order and the scores as they were', () => {
    const hits = order(3, 2, 1);
    expect(diversified(hits, { diversity: 0, limit: 10 }, twins)).toEqual(hits);
    expect(diversified(hits, { limit: 10 }, twins)).toEqual(hits);
  });

  it('a repetition of a preceding hit › comes later, by the formula', () => {
    const hits = diversified(order(4, 3, 2), { diversity: 0.5, limit: 10 }, twins);
    expect(sequencesOf(hits)).toEqual([1, 3, 2]);
    expect(hits.map(({ score }) => score)).toEqual([0.5, 0.25, 0.5 * 0.75 - 0.5]);
  });

  it('limit › is chosen from more than it', () => {
    expect(sequencesOf(diversified(order(4, 3, 2), { diversity: 0.5, limit: 2 }, twins))).toEqual([1, 3]);
  });

  it('equal values › keep their order', () => {
    expect(sequencesOf(diversified(order(1, 1, 1), { diversity: 1, limit: 3 }, () => 0))).toEqual([1, 2, 3]);
  });

  it('hits after the tenth › lose by their likeness to the ten, and scores never rise', () => {
    const scores = Array.from({ length: 40 }, (_, at) => 40 - at);
    const alike = (one: number, other: number) => (one % 5 === other % 5 ? 0.8 : 0.1);
    const hits = diversified(order(...scores), { diversity: 0.4, limit: 40 }, alike);
    expect(new Set(sequencesOf(hits)).size).toBe(40);
    const values = hits.map(({ score }) => score);
    expect(values).toEqual(values.toSorted((a, b) => b - a));
    expect(new Set(sequencesOf(hits.slice(0, 5)).map((sequence) => sequence % 5)).size).toBe(5);
  });

  it('scores that are all 0, or no hits › no random order', () => {
    expect(sequencesOf(diversified(order(0, 0, 0), { diversity: 0.5, limit: 3 }, twins))).toEqual([1, 3, 2]);
    expect(diversified([], { diversity: 0.5, limit: 3 }, twins)).toEqual([]);
  });

  it('components › add up to the score', () => {
    const [, , last] = diversified(order(4, 3, 2), { diversity: 0.5, limit: 10 }, twins);
    if (!last) throw new Error('three hits were given');
    const before = [
      { name: 'keyword', value: 1, contribution: 2.5, rank: 2 },
      { name: 'recency', value: 1, contribution: 0.5, rank: 0 },
    ];
    const components = spreadComponents(before, last);
    expect(components.at(-1)).toEqual({ name: 'diversity', value: 1, contribution: -0.5, rank: 0 });
    expect(components.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(last.score, 12);
  });
});

describe('likeness', () => {
  const said = (words: string, ...vector: number[]) => ({
    words: new Set(words.split(' ')),
    vector: vector.length > 0 ? Float32Array.from(vector) : undefined,
  });

  it('vectors of both › their cosine, at least 0', () => {
    expect(likeness(said('a', 3, 4), said('b', 3, 4))).toBeCloseTo(1);
    expect(likeness(said('a', 1, 0), said('a', -1, 0))).toBe(0);
    expect(likeness(said('a', 0, 0), said('a', 1, 0))).toBe(0);
  });

  it('one without a vector, or of another length › the share of their words in common', () => {
    expect(likeness(said('red door', 1, 0), said('red crate'))).toBeCloseTo(1 / 3);
    expect(likeness(said('red door', 1, 0), said('red door', 1, 0, 0))).toBe(1);
    expect(likeness({ words: new Set(), vector: undefined }, { words: new Set(), vector: undefined })).toBe(0);
  });
});
