/** Trees of a ranker as `tools/train_ranker.py` writes them: nodes of all trees in one list, each tree's root first. */
export interface TreeModelFile {
  readonly format: number;
  readonly name: string;
  readonly features: readonly string[];
  /** Index of each tree's first node; leaves likewise. */
  readonly roots: readonly number[];
  readonly feature: readonly number[];
  /** Values less than or equal to it go to the left child. */
  readonly threshold: readonly number[];
  /** Index of the next node, or -1 - index of the leaf. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** Expected value of a memory at this node: for the explanation. */
  readonly expected: readonly number[];
  readonly leaf: readonly number[];
}

export const TREE_FORMAT = 1;
/** Leaves that a tree may have. */
const LEAVES_MAX = 32;

export class TreeModelError extends Error {
  override readonly name = 'TreeModelError';
}

/** The same in flat arrays, checked once, so that evaluation needs no check. */
export interface TreeModel {
  readonly name: string;
  readonly features: readonly string[];
  readonly roots: Int32Array;
  readonly feature: Uint16Array;
  readonly threshold: Float64Array;
  /** Left and right by turns. */
  readonly children: Int32Array;
  readonly expected: Float64Array;
  readonly leaf: Float64Array;
}

/**
 * Throws TreeModelError for an incomplete model or another format. Children follow their parent: no path is endless.
 */
export function readTreeModel(file: TreeModelFile): TreeModel {
  if (file.format !== TREE_FORMAT)
    throw new TreeModelError(`ranker of format ${file.format}, this server reads ${TREE_FORMAT}`);
  const nodes = file.feature.length;
  for (const key of ['threshold', 'left', 'right', 'expected'] as const) {
    if (file[key].length !== nodes)
      throw new TreeModelError(`ranker with ${file[key].length} of "${key}" for ${nodes} nodes`);
  }
  for (const feature of file.feature) {
    if (!(feature >= 0 && feature < file.features.length))
      throw new TreeModelError(`ranker without a feature ${feature}`);
  }
  for (const root of file.roots) {
    if (!isTarget(root, -1, file)) throw new TreeModelError(`ranker without a node ${root}`);
  }
  for (let node = 0; node < nodes; node++) {
    for (const next of [file.left[node], file.right[node]]) {
      if (next === undefined || !isTarget(next, node, file)) {
        throw new TreeModelError(`ranker whose node ${node} leads to ${next}`);
      }
    }
  }
  for (const root of file.roots) {
    const leaves = leafCount(root, file);
    if (leaves > LEAVES_MAX)
      throw new TreeModelError(`ranker with a tree of ${leaves} leaves, more than ${LEAVES_MAX}`);
  }
  return {
    name: file.name,
    features: file.features,
    roots: Int32Array.from(file.roots),
    feature: Uint16Array.from(file.feature),
    threshold: Float64Array.from(file.threshold),
    children: Int32Array.from(file.left.flatMap((left, node) => [left, file.right[node] ?? 0])),
    expected: Float64Array.from(file.expected),
    leaf: Float64Array.from(file.leaf),
  };
}

function leafCount(node: number, file: TreeModelFile): number {
  return node < 0 ? 1 : leafCount(file.left[node] ?? -1, file) + leafCount(file.right[node] ?? -1, file);
}

function isTarget(target: number, from: number, { feature, leaf }: TreeModelFile): boolean {
  if (!Number.isInteger(target)) return false;
  return target < 0 ? -1 - target < leaf.length : target > from && target < feature.length;
}

export interface FirstCut {
  /** Trees that see every row. */
  readonly trees: number;
  /** Rows that the other trees see: the best so far. */
  readonly kept: number;
}

/**
 * The first trees carry most of the model, so they select the memories that the other trees score. Measured: see
 * `docs/decisions/ranking.md`.
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
  /** Score of a memory without any features. */
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

/** One bit for each of `LEAVES_MAX` leaves. */
const ALL_LEAVES = -1;

/**
 * Some trees of a model as questions sorted by feature and threshold. A row meets of each feature only the questions that
 * it answers with "right", and each of these strikes the leaves to its left out of its tree; the first leaf left over is
 * the tree's (QuickScorer, Lucchese and others, SIGIR 2015). No branch of it depends on the shape of a tree.
 */
class LeafMasks {
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
      /** Mask of the leaves at and under a node. */
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

  /** Adds the trees' values to each of the rows, tree by tree in the model's order. */
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
