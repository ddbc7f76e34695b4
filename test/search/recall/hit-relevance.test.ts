import { describe, expect, it } from '@jest/globals';
import { relevanceOf } from '../../../src/search/recall/candidate-search.ts';
import { NamespaceColumns } from '../../../src/search/recall/namespace-columns.ts';
import type { Candidate } from '../../../src/search/recall/rank.ts';

const columns = new NamespaceColumns();
const weights = { keyword: 1, vector: 1, recency: 0, importance: 0, session: 1, time: 0.5, place: 0.5 };
const embedding = { model: 'm', values: Float32Array.of(1) };
const found = (changes: Partial<Candidate> = {}): Candidate => {
  return { sequence: 1, keywordRank: 0, vectorRank: 0, similarity: 0, ...changes };
};

describe('relevanceOf', () => {
  it('to a text › the learned probability', () => {
    expect(relevanceOf(found(), columns, { text: 'who', weights }, 0.3)).toBe(0.3);
  });

  it('to a text and a vector of the request › the greater of both', () => {
    const near = found({ vectorRank: 1, similarity: 0.8 });
    expect(relevanceOf(near, columns, { text: 'who', embedding, weights }, 0.3)).toBe(0.8);
    expect(relevanceOf(near, columns, { text: 'who', embedding, weights }, 0.9)).toBe(0.9);
  });

  it('to a vector alone › its cosine, 0 where that is less', () => {
    const to = (similarity: number) =>
      relevanceOf(found({ vectorRank: 1, similarity }), columns, { text: '', embedding, weights }, 0.5);
    expect([0.7, -0.2, 1.0000001].map(to)).toEqual([0.7, 0, 1]);
  });

  it('to a text whose words are not looked for › the cosine of its vector', () => {
    const query = { text: 'who', weights: { ...weights, keyword: 0 } };
    expect(relevanceOf(found({ vectorRank: 2, similarity: 0.4 }), columns, query, 0.5)).toBe(0.4);
  });

  it('to a filter alone › 1', () => {
    expect(relevanceOf(found(), columns, { text: '', weights }, 0.5)).toBe(1);
  });
});
