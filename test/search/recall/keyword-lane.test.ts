import { describe, expect, it } from '@jest/globals';
import type { KeywordIndex, QueryTerm } from '../../../src/search/recall/keyword-index.ts';
import { searchKeywords } from '../../../src/search/recall/keyword-lane.ts';

const namespace = { key: 1, firstKey: 1000, size: 100, end: 101 };

/** Every memory that has a term has it once. */
function indexOf(postings: Record<string, number[]>): KeywordIndex & { readonly read: string[] } {
  const read: string[] = [];
  return {
    read,
    meanLength: () => 1,
    languages: () => [],
    documentFrequency: (_, term) => postings[term]?.length ?? 0,
    having(_, term, each) {
      for (const sequence of postings[term] ?? []) each(1000 + sequence);
    },
    matches(_, term, _frequency, each) {
      read.push(term);
      for (const sequence of postings[term] ?? []) each(1000 + sequence, 1);
    },
  };
}

function named(...terms: readonly string[]): QueryTerm[] {
  return terms.map((term) => ({ term, forms: [term] }));
}

function sequences(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, place) => first + place);
}

describe('searchKeywords', () => {
  it('adds the idf of the namespace for every term that a memory has', () => {
    const index = indexOf({ rare: [7], common: sequences(1, 50) });
    const { scores } = searchKeywords(index, namespace, named('common', 'rare'), { explain: false });
    const idf = (frequency: number): number => Math.log(1 + (100 - frequency + 0.5) / (frequency + 0.5));
    expect(scores.get(7)).toBeCloseTo(idf(1) + idf(50), 10);
    expect(scores.get(8)).toBeCloseTo(idf(50), 10);
  });

  it('keeps every score positive in a namespace where every memory has the term', () => {
    const { scores } = searchKeywords(indexOf({ all: [1, 2, 3] }), { ...namespace, size: 3 }, named('all'), {
      explain: false,
    });
    expect(scores.size).toBe(3);
    for (const sequence of scores.found) expect(scores.get(sequence)).toBeGreaterThan(0);
  });

  it('reads the rarest terms first and stops before passing the limit, but reads two in any case', () => {
    const index = indexOf({ a: sequences(1, 5), b: sequences(1, 60), c: sequences(1, 70), d: sequences(1, 8) });
    searchKeywords(index, namespace, named('c', 'b', 'a', 'd'), { explain: false, matchesMax: 20 });
    expect(index.read).toEqual(['a', 'd']);
    const long = indexOf({ b: sequences(1, 60), c: sequences(1, 70) });
    searchKeywords(long, namespace, named('c', 'b'), { explain: false, matchesMax: 20 });
    expect(long.read).toEqual(['b', 'c']);
  });

  it('returns the memories of each term with explain', () => {
    const { terms } = searchKeywords(indexOf({ a: [1, 2], b: [2] }), namespace, named('a', 'b', 'none'), {
      explain: true,
    });
    expect(terms.map(({ term, sequences: having }) => [term, [...having]])).toEqual([
      ['b', [2]],
      ['a', [1, 2]],
    ]);
  });

  it('counts the forms of a word as one word, and of a memory with two of them the better one', () => {
    const index = indexOf({ cat: [1], _de_katz: [2, 3], _de_katze: [3] });
    const forms = ['cat', '_de_katz', '_de_katze', '_fr_cat'];
    const { scores, terms } = searchKeywords(index, namespace, [{ term: 'cat', forms }], { explain: true });
    const idf = Math.log(1 + (100 - 4 + 0.5) / 4.5);
    for (const sequence of [1, 2, 3]) expect(scores.get(sequence)).toBeCloseTo(idf, 10);
    expect(terms.map(({ term, sequences: having }) => [term, [...having].sort()])).toEqual([['cat', [1, 2, 3]]]);
  });
});
