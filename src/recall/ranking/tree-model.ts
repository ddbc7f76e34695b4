/** Trees of a ranker as `tools/train_ranker.py` writes them: nodes of all trees in one list, each tree's root first. */
export interface TreeModelFile {
  readonly format: number;
  readonly name: string;
  readonly features: readonly string[];
  /** Index of each tree's first node; leaves likewise. */
  readonly roots: readonly number[];
  readonly feature: readonly number[];
  /** Values at or below it go left. */
  readonly threshold: readonly number[];
  /** Index of the next node, or -1 - index of the leaf. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** What a memory that gets here could expect: for the explanation. */
  readonly expected: readonly number[];
  readonly leaf: readonly number[];
}

export const TREE_FORMAT = 1;
/** Leaves that a tree may have. */
export const LEAVES_MAX = 32;

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

/** Throws TreeModelError for what is no whole model of this format. Children come after their parent: no path is endless. */
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
