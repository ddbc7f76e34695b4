import { LeafMasks } from './leaf-masks.ts';
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
export const FIRST_CUT: FirstCut = { trees: 30, kept: 80 };

/** Rows that pass the first cut for each that is wanted. */
const KEPT_OF_WANTED = 3;

/** Scores rows with a model's trees. One instance serves one thread. */
export class TreeScorer {
  readonly model: TreeModel;
  private readonly cut: FirstCut;
  private readonly first: LeafMasks;
  private readonly rest: LeafMasks;

  constructor(model: TreeModel, cut: FirstCut = FIRST_CUT) {
    this.model = model;
    this.cut = cut;
    const firstCount = Math.min(cut.trees, model.roots.length);
    this.first = new LeafMasks(model, [0, firstCount]);
    this.rest = new LeafMasks(model, [firstCount, model.roots.length]);
  }

  /**
   * Score of each row of a matrix of features, `model.features.length` values a row. Rows that the first cut leaves out
   * keep their order and come behind all others; more pass it where more rows are `wanted` than it is made for.
   */
  scores(rows: Float32Array, wanted = 0): Float64Array {
    const { model } = this;
    const cut = { ...this.cut, kept: Math.max(this.cut.kept, KEPT_OF_WANTED * wanted) };
    const width = model.features.length;
    const count = width > 0 ? Math.floor(rows.length / width) : 0;
    const scores = new Float64Array(count);
    const all = Int32Array.from(scores, (_, row) => row);
    this.first.addTo(scores, rows, all);
    if (count <= cut.kept || model.roots.length <= cut.trees) {
      this.rest.addTo(scores, rows, all);
      return scores;
    }
    const { kept, others } = cutOff(scores, cut.kept);
    this.rest.addTo(scores, rows, kept);
    let worst = Number.POSITIVE_INFINITY;
    for (const row of kept) worst = Math.min(worst, scores[row] as number);
    let firstOut = Number.NEGATIVE_INFINITY;
    for (const row of others) firstOut = Math.max(firstOut, scores[row] as number);
    for (const row of others) scores[row] = worst - 1 - (firstOut - (scores[row] as number));
    return scores;
  }
}

/** The rows of the best scores and the others, each in rising order; of equal scores the first rows. */
function cutOff(scores: Float64Array, count: number): { kept: Int32Array; others: Int32Array } {
  const least = scores.slice().sort()[scores.length - count] as number;
  const kept = new Int32Array(count);
  const others = new Int32Array(scores.length - count);
  let equals = count;
  for (const score of scores) if (score > least) equals--;
  let [keptCount, otherCount] = [0, 0];
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] as number;
    if (score > least || (score === least && equals-- > 0)) kept[keptCount++] = row;
    else others[otherCount++] = row;
  }
  return { kept, others };
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
