import type { TreeModel } from './tree-model.ts';

export interface FirstCut {
  /** Trees that see every row. */
  readonly trees: number;
  /** Rows that the other trees see: the best so far. */
  readonly kept: number;
}

/**
 * The first trees hold most of what was learned, so they decide who is worth the others. Measured: see
 * `docs/decisions/`.
 */
export const FIRST_CUT: FirstCut = { trees: 60, kept: 150 };

/**
 * Score of each row of a matrix of features, `model.features.length` values a row. Rows that the first cut leaves out
 * keep their order and come behind all others.
 */
export function treeScores(model: TreeModel, rows: Float32Array, cut: FirstCut = FIRST_CUT): Float64Array {
  const width = model.features.length;
  const count = width > 0 ? Math.floor(rows.length / width) : 0;
  const scores = new Float64Array(count);
  const all = Int32Array.from(scores, (_, row) => row);
  const { length } = model.roots;
  if (count <= cut.kept || length <= cut.trees) {
    addTrees(model, rows, all, [0, length], scores);
    return scores;
  }
  addTrees(model, rows, all, [0, cut.trees], scores);
  const order = all.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const kept = order.subarray(0, cut.kept);
  addTrees(model, rows, kept, [cut.trees, length], scores);
  const worst = kept.reduce((least, row) => Math.min(least, scores[row] ?? 0), Number.POSITIVE_INFINITY);
  const firstOut = scores[order[cut.kept] ?? 0] ?? 0;
  for (const row of order.subarray(cut.kept)) scores[row] = worst - 1 - (firstOut - (scores[row] ?? 0));
  return scores;
}

/** Tree by tree, not row by row: a tree fits the processor's nearest cache, the ensemble does not. */
function addTrees(
  model: TreeModel,
  values: Float32Array,
  rows: Int32Array,
  [from, to]: readonly [number, number],
  scores: Float64Array,
): void {
  const { roots, feature, threshold, children, leaf } = model;
  const width = model.features.length;
  for (let tree = from; tree < to; tree++) {
    const root = roots[tree] as number;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      const base = row * width;
      let node = root;
      while (node >= 0) {
        const value = values[base + (feature[node] as number)] as number;
        // Arithmetic instead of a branch: which way a row goes cannot be foreseen.
        node = children[2 * node + Number(value > (threshold[node] as number))] as number;
      }
      scores[row] = (scores[row] as number) + (leaf[-1 - node] as number);
    }
  }
}

export interface Explanation {
  /** What the model gives to a memory of which nothing is known. */
  readonly base: number;
  /** By feature: how much the score moved at the nodes that asked for it (Saabas). With `base` they add up to the score. */
  readonly contributions: Float64Array;
}

/** Of a row that passed the first cut. */
export function explainScore(model: TreeModel, row: Float32Array): Explanation {
  const { roots, feature, threshold, children, leaf, expected } = model;
  const contributions = new Float64Array(model.features.length);
  let base = 0;
  const expectedAt = (node: number): number => (node >= 0 ? expected[node] : leaf[-1 - node]) ?? 0;
  for (const root of roots) {
    base += expectedAt(root);
    let node = root;
    while (node >= 0) {
      const asked = feature[node] ?? 0;
      const next = children[2 * node + Number((row[asked] ?? 0) > (threshold[node] ?? 0))] ?? 0;
      contributions[asked] = (contributions[asked] ?? 0) + expectedAt(next) - expectedAt(node);
      node = next;
    }
  }
  return { base, contributions };
}
