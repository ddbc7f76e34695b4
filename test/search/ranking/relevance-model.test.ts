import { describe, expect, it } from '@jest/globals';
import { RELEVANCE_FEATURES } from '../../../src/search/ranking/relevance-features.ts';
import {
  openRelevanceModel,
  type RelevanceFile,
  RelevanceModel,
  RelevanceModelError,
} from '../../../src/search/ranking/relevance-model.ts';

type Row = Partial<Record<(typeof RELEVANCE_FEATURES)[number], number>>;

function rowsOf(...rows: readonly Row[]): Float32Array {
  return Float32Array.from(rows.flatMap((row) => RELEVANCE_FEATURES.map((name) => row[name] ?? 0)));
}

const FILE: RelevanceFile = {
  format: 1,
  name: 'test',
  half: 20,
  order: { features: ['trees', 'meaning'], large: [1, 2], small: [0.5, 10], smallZero: 3 },
  relevance: { features: ['order', 'best meaning'], weights: [1, 0], small: [0, 2], bias: -1 },
  across: { from: 0.5, to: 0.6, features: ['best meaning'], weights: [3], bias: -2 },
};

describe('RelevanceModel', () => {
  const model = new RelevanceModel(FILE);
  const rows = rowsOf({ trees: 2, meaning: 0.1 }, { trees: -1, meaning: 0.6 });

  it('orders by the weights of large namespaces there, and of small ones in those', () => {
    const large = model.judge(rows, 1e9, 'english');
    expect([...large.scores]).toEqual([expect.closeTo(2.2), expect.closeTo(0.2)]);
    const small = model.judge(rows, 0, 'english');
    expect([...small.scores]).toEqual([expect.closeTo(-1), expect.closeTo(2.5)]);
  });

  it('at its half size both count alike', () => {
    const { scores } = model.judge(rows, 20, 'english');
    expect([...scores]).toEqual([expect.closeTo(0.6), expect.closeTo(1.35)]);
  });

  it('returns probabilities, by the order and by the best of all candidates', () => {
    const [first = 0, second = 0] = model.judge(rows, 1e9, 'english').relevances;
    expect(first).toBeCloseTo(1 / (1 + Math.exp(-1.2)), 6);
    expect(second).toBeCloseTo(1 / (1 + Math.exp(0.8)), 6);
    const [small = 0] = model.judge(rows, 0, 'english').relevances;
    expect(small).toBeCloseTo(1 / (1 + Math.exp(2 - 1.2)), 5);
  });

  it('goes by meaning in large namespaces that lack the words of the question', () => {
    const lacking = (unsaid: number) => rowsOf({ trees: 2, meaning: 0.1, unsaid }, { trees: -1, meaning: 0.6, unsaid });
    const scoresAt = (unsaid: number) => [...model.judge(lacking(unsaid), 1e9, 'foreign').scores];
    expect(scoresAt(0.5)).toEqual([...model.judge(rows, 1e9, 'english').scores]);
    expect(scoresAt(0.55)).toEqual([expect.closeTo(0.6), expect.closeTo(1.35)]);
    expect(scoresAt(1)).toEqual([...model.judge(rows, 0, 'english').scores]);
    const inEnglish = (unsaid: number) => [...model.judge(lacking(unsaid), 1e9, 'english').scores];
    expect(inEnglish(0.75)).toEqual([expect.closeTo(0.6), expect.closeTo(1.35)]);
    expect(inEnglish(1)).toEqual(scoresAt(1));
  });

  it('has another relevance for that in other languages than English, whatever the size', () => {
    const lacking = rowsOf({ trees: 2, meaning: 0.1, unsaid: 1 }, { trees: -1, meaning: 0.6, unsaid: 1 });
    expect(model.judge(lacking, 1e9, 'foreign').relevances[0]).toBeCloseTo(1 / (1 + Math.exp(2 - 1.8)), 6);
    expect(model.judge(lacking, 50, 'english').relevances).toEqual(model.judge(rows, 50, 'english').relevances);
    expect(model.judge(lacking, 0, 'foreign').relevances[0]).toBeCloseTo(1 / (1 + Math.exp(2 - 1.8)), 6);
    expect(model.judge(lacking, 0, 'english').relevances).toEqual(model.judge(rows, 0, 'english').relevances);
  });

  it('returns the parts of a score, which add up', () => {
    const lacking = rowsOf({ unsaid: 0.55 }, { trees: -1, meaning: 0.6, unsaid: 0.55 });
    for (const [size, of] of [0, 20, 500].flatMap((size) => [[size, rows] as const, [size, lacking] as const])) {
      const { parts, treesShare, base } = model.partsOf(of, 1, size, 'foreign');
      const total = parts.reduce((sum, { contribution }) => sum + contribution, treesShare * -1 + base);
      expect(total).toBeCloseTo(model.judge(of, size, 'foreign').scores[1] ?? 0, 5);
      expect(parts.map(({ name }) => name)).toEqual(RELEVANCE_FEATURES);
    }
  });

  it('one candidate, and none', () => {
    expect(model.judge(rowsOf({ trees: 1 }), 1, 'english').relevances).toHaveLength(1);
    expect(model.judge(new Float32Array(), 1, 'english').scores).toHaveLength(0);
  });

  it('refuses another format, and features that this server does not know', () => {
    expect(() => new RelevanceModel({ ...FILE, format: 2 })).toThrow(RelevanceModelError);
    const order = { ...FILE.order, features: ['trees', 'smell'] };
    expect(() => new RelevanceModel({ ...FILE, order })).toThrow('no feature "smell"');
    const relevance = { ...FILE.relevance, features: ['order', 'smell'] };
    expect(() => new RelevanceModel({ ...FILE, relevance })).toThrow('no feature "smell"');
  });

  it('the model in assets › a near memory is relevant, an unrelated one is not', () => {
    const near = {
      trees: 4,
      meaning: 0.6,
      coverage: 1,
      exact: 1,
      covered: 1,
      'unknown names': -1,
      'query tokens': 1.1,
      length: 2,
    };
    const far = {
      trees: -6,
      meaning: 0.02,
      coverage: 0.1,
      exact: 0,
      missed: 0.9,
      'unknown names': -1,
      'query tokens': 1.1,
      length: 2,
    };
    for (const size of [2, 20, 1000]) {
      const together = openRelevanceModel().judge(rowsOf(near, far), size, 'english').relevances;
      expect(together[0]).toBeGreaterThan(0.5);
      expect(together[1]).toBeLessThan(0.05);
      expect(openRelevanceModel().judge(rowsOf(far), size, 'english').relevances[0]).toBeLessThan(0.05);
    }
  });
});
