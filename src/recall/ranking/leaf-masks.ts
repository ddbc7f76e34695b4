import { LEAVES_MAX, type TreeModel } from './tree-model.ts';

/** One bit for each of `LEAVES_MAX` leaves. */
const ALL_LEAVES = -1;

/**
 * Some trees of a model as questions sorted by feature and threshold. A row meets of each feature only the questions that
 * it answers with "right", and each of these strikes the leaves to its left out of its tree; the first leaf left over is
 * the tree's (QuickScorer, Lucchese and others, SIGIR 2015). No branch of it depends on the shape of a tree.
 */
export class LeafMasks {
  private readonly model: TreeModel;
  private readonly count: number;
  /** Of each feature: where its questions begin; the last entry is the end of all. */
  private readonly starts: Uint32Array;
  private readonly thresholds: Float64Array;
  private readonly trees: Uint16Array;
  /** Leaves that stay when the answer is "right". */
  private readonly stays: Int32Array;
  /** Values of the leaves of each tree from left to right, `LEAVES_MAX` places a tree. */
  private readonly leaves: Float64Array;
  private readonly masks: Int32Array;

  constructor(model: TreeModel, [from, to]: readonly [number, number]) {
    this.model = model;
    this.count = to - from;
    this.masks = new Int32Array(this.count);
    this.leaves = new Float64Array(this.count * LEAVES_MAX);
    const questions: { feature: number; threshold: number; tree: number; stays: number }[] = [];
    for (let tree = 0; tree < this.count; tree++) {
      let leaf = 0;
      /** Mask of the leaves at and below a node. */
      const visit = (node: number): number => {
        if (node < 0) {
          this.leaves[tree * LEAVES_MAX + leaf] = model.leaf[-1 - node] ?? 0;
          return 1 << leaf++;
        }
        const left = visit(model.children[2 * node] ?? -1);
        const right = visit(model.children[2 * node + 1] ?? -1);
        const [feature, threshold] = [model.feature[node] ?? 0, model.threshold[node] ?? 0];
        questions.push({ feature, threshold, tree, stays: ~left });
        return left | right;
      };
      visit(model.roots[from + tree] ?? -1);
    }
    questions.sort((a, b) => a.feature - b.feature || a.threshold - b.threshold);
    this.thresholds = Float64Array.from(questions, ({ threshold }) => threshold);
    this.trees = Uint16Array.from(questions, ({ tree }) => tree);
    this.stays = Int32Array.from(questions, ({ stays }) => stays);
    this.starts = new Uint32Array(model.features.length + 1);
    for (const { feature } of questions) this.starts[feature + 1] = (this.starts[feature + 1] ?? 0) + 1;
    for (let f = 0; f < model.features.length; f++) {
      this.starts[f + 1] = (this.starts[f + 1] ?? 0) + (this.starts[f] ?? 0);
    }
  }

  /** Adds what the trees give to each of the rows, tree by tree in the model's order. */
  addTo(scores: Float64Array, values: Float32Array, rows: Int32Array): void {
    const { starts, thresholds, trees, stays, leaves, masks, count } = this;
    const width = this.model.features.length;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number;
      masks.fill(ALL_LEAVES);
      for (let feature = 0; feature < width; feature++) {
        const value = values[row * width + feature] as number;
        const end = starts[feature + 1] as number;
        for (let at = starts[feature] as number; at < end && value > (thresholds[at] as number); at++) {
          const tree = trees[at] as number;
          masks[tree] = (masks[tree] as number) & (stays[at] as number);
        }
      }
      let score = scores[row] as number;
      for (let tree = 0; tree < count; tree++) {
        const mask = masks[tree] as number;
        score += leaves[tree * LEAVES_MAX + 31 - Math.clz32(mask & -mask)] as number;
      }
      scores[row] = score;
    }
  }
}
