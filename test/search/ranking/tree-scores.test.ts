import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { explainScore, readTreeModel, type TreeModelFile, TreeScorer } from '../../../src/search/ranking/tree-model.ts';

const small: TreeModelFile = {
  format: 1,
  name: 'small',
  features: ['a', 'b'],
  roots: [0, 2, -4],
  feature: [0, 1, 1],
  threshold: [0.5, 2, -1],
  left: [1, -1, -4],
  right: [-3, -2, -5],
  expected: [0.1, 0.2, 0.3],
  leaf: [1, 2, 3, 4, 5],
};

function changed(changes: Partial<TreeModelFile>): () => void {
  return () => readTreeModel({ ...small, ...changes });
}

function json<T>(path: string): T {
  return JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as T;
}

describe('TreeScorer', () => {
  it('adds the leaf of every tree, going left at the threshold itself', () => {
    const model = readTreeModel(small);
    const rows = Float32Array.of(0.5, 2, 0.5, 3, 0.6, -1);
    expect([...new TreeScorer(model).scores(rows)]).toEqual([1 + 5 + 4, 2 + 5 + 4, 3 + 4 + 4]);
  });

  it('returns nothing for no rows', () => {
    expect(new TreeScorer(readTreeModel(small)).scores(new Float32Array(0))).toHaveLength(0);
  });

  it("equals LightGBM's own predictions on the rows that the training script recorded", () => {
    const model = readTreeModel(json('../../../assets/ranker-v3.json'));
    const recorded = json<{ rows: number[][]; predictions: number[] }>('../../fixtures/ranker-v3-predictions.json');
    const scores = new TreeScorer(model).scores(Float32Array.from(recorded.rows.flat()));
    expect(scores).toHaveLength(recorded.predictions.length);
    recorded.predictions.forEach((prediction, at) => {
      expect(scores[at]).toBeCloseTo(prediction, 6);
    });
  });
});

describe('explainScore', () => {
  it('moves from expectation to expectation, by the feature that was asked', () => {
    const { base, contributions } = explainScore(readTreeModel(small), Float32Array.of(0.5, 3));
    expect(base).toBeCloseTo(0.1 + 0.3 + 4, 12);
    expect(contributions[0]).toBeCloseTo(0.2 - 0.1, 12);
    expect(contributions[1]).toBeCloseTo(2 - 0.2 + (5 - 0.3), 12);
  });

  it('adds up to the score of the shipped model', () => {
    const model = readTreeModel(json('../../../assets/ranker-v3.json'));
    const { rows } = json<{ rows: number[][] }>('../../fixtures/ranker-v3-predictions.json');
    for (const row of rows) {
      const { base, contributions } = explainScore(model, Float32Array.from(row));
      const sum = contributions.reduce((total, one) => total + one, base);
      expect(sum).toBeCloseTo(new TreeScorer(model).scores(Float32Array.from(row))[0] ?? Number.NaN, 9);
    }
  });
});

describe('readTreeModel', () => {
  it.each<[string, Partial<TreeModelFile>, RegExp]>([
    ['another format', { format: 2 }, /format 2/],
    ['lists of unequal length', { threshold: [1] }, /"threshold"/],
    ['a feature that is not named', { feature: [0, 1, 2] }, /feature 2/],
    ['a node that leads out of the list', { left: [3, -1, -4] }, /node 0 leads to 3/],
    ['a node that leads back', { right: [-3, 0, -5] }, /node 1 leads to 0/],
    ['a leaf that is not there', { left: [1, -9, -4] }, /node 1 leads to -9/],
    ['a root that is not there', { roots: [7] }, /node 7/],
  ])('refuses %s', (_, changes, message) => {
    expect(changed(changes)).toThrow(message);
  });
});
