import { describe, expect, test } from '@jest/globals';
import { discounted, inverseFrequency, MaxSim } from '../../../src/search/embedding/static/max-sim.ts';
import { WordPiece } from '../../../src/search/embedding/static/word-piece.ts';
import { openTable, sentences } from './static-table.ts';

describe('MaxSim', () => {
  const table = openTable();
  const tokenizer = new WordPiece(table);
  const maxSim = new MaxSim(table, tokenizer.unknown);
  const memories = sentences().rows.map(({ text }) => tokenizer.encode(text));
  const equally = (text: string) => {
    const tokens = tokenizer.encode(text);
    return { tokens, weights: new Float32Array(tokens.length).fill(1) };
  };

  // The definition, word for word and without a scratch array.
  function naive(query: number, memory: Uint16Array, similarityOf = discounted): number {
    const { tokens, codes } = table.neighbours(query);
    const near = (token: number) => {
      const at = tokens.indexOf(token);
      return token === query ? 1 : at < 0 ? 0 : similarityOf(table.cosineOfCode[codes[at] ?? 0] ?? 0);
    };
    return query === tokenizer.unknown ? 0 : Math.max(0, ...Array.from(memory, near));
  }

  test('scores by the definition, whatever was scored before', () => {
    for (const text of ['which dog was adopted', 'coffee on friday 😀', 'la préfecture de besançon']) {
      const { tokens } = equally(text);
      const weights = Array.from(tokens, (_, at) => 1 + at);
      const known = weights.filter((_, at) => tokens[at] !== tokenizer.unknown);
      const total = known.reduce((sum, weight) => sum + weight, 0);
      const scores = maxSim.scores({ tokens, weights }, memories);
      memories.forEach((memory, m) => {
        const expected = Array.from(tokens).reduce(
          (sum, token, at) => sum + (weights[at] ?? 0) * naive(token, memory),
          0,
        );
        expect(scores[m]).toBeCloseTo(expected / total, 5);
      });
    }
  });

  test('weighs a near token by the given function, and the token itself with 1', () => {
    const [cubic, none] = [(cosine: number) => cosine ** 3, () => -7];
    const [dog, candidates] = [tokenizer.encode('dog'), ['a puppy', 'the dog'].map((text) => tokenizer.encode(text))];
    const scores = (similarityOf: (cosine: number) => number) =>
      new MaxSim(table, tokenizer.unknown, similarityOf).scores({ tokens: dog, weights: [1] }, candidates);
    const [puppy = new Uint16Array()] = candidates;
    expect(scores(cubic)[0]).toBeCloseTo(naive(dog[0] ?? 0, puppy, cubic), 6);
    expect(scores(cubic)[1]).toBe(1);
    expect([...scores(none)]).toEqual([0, 1]);
    expect(discounted(0.5)).toBeCloseTo(0.3, 10);
  });

  test('returns the best similarity of each query token in each memory', () => {
    const { tokens } = equally('puppy breakfast 😀');
    const rows = maxSim.matches(tokens, memories);
    expect(rows).toHaveLength(tokens.length * memories.length);
    tokens.forEach((token, at) => {
      memories.forEach((memory, m) => {
        expect(rows[at * memories.length + m]).toBeCloseTo(naive(token, memory), 6);
      });
    });
  });

  test('is 1 for a memory with every query token, above 0 for one near in meaning, 0 for a distant one', () => {
    const candidates = ['My dog is brown', 'A puppy!', 'The report is a PDF', ''].map((text) => tokenizer.encode(text));
    const [same, near, far, empty] = maxSim.scores(equally('dog'), candidates);
    expect(same).toBe(1);
    expect(near).toBeGreaterThan(0.5);
    expect(near).toBeLessThan(1);
    expect([far, empty]).toEqual([0, 0]);
  });

  test('is 0 without input: no tokens, no weight, only unknown words', () => {
    const candidates = [tokenizer.encode('🦩 flamingo')];
    const { tokens } = equally('flamingo');
    for (const query of [equally(''), equally('🦩'), { tokens, weights: new Float32Array(tokens.length) }]) {
      expect([...maxSim.scores(query, candidates)]).toEqual([0]);
    }
  });

  test('passes over ids that are no tokens, in the query and in the memory', () => {
    const [alien, dog] = [Uint16Array.of(65_535), tokenizer.encode('dog')];
    expect([...maxSim.scores({ tokens: alien, weights: [1] }, [alien, dog])]).toEqual([0, 0]);
    expect([...maxSim.scores({ tokens: dog, weights: [1] }, [Uint16Array.of(65_535, ...dog)])]).toEqual([1]);
  });
});

test('a rarer token has the higher inverse frequency, and none is negative', () => {
  expect(inverseFrequency(1, 100)).toBeGreaterThan(inverseFrequency(50, 100));
  expect(inverseFrequency(100, 100)).toBeGreaterThan(0);
});
