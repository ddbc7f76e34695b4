/** Names the formula of the vectors: change it with the formula, and persisted graphs are grown again. */
export const STATE_MODEL = 'states-v1';

/** Dimensions of a state's vector. */
export const STATE_DIMENSIONS = 256;

/** A value of a state with the scale of its field. */
export interface ScaledLeaf {
  /** Hash of place and kind. */
  readonly place: number;
  readonly isNumber: boolean;
  /** The number, or the hash of a label. */
  readonly value: number;
  /** How much it counts. */
  readonly weight: number;
  /** Of a number's field: median and spread. */
  readonly center: number;
  readonly spread: number;
}

/**
 * Half waves of a number's range and how much each counts: the first tells far values apart, the others near ones. The
 * weights add up to 1, so that equal numbers count 1.
 */
const WAVES: readonly (readonly [number, number])[] = [
  [Math.PI / 2, 0.5],
  [2 * Math.PI, 0.3],
  [8 * Math.PI, 0.2],
];

/**
 * A vector of length 1 whose product with that of another state is near to their similarity: a sum of the vectors of all
 * values, each in dimensions that its place selects by hash, and a label by its value too. `undefined` without values.
 */
export function stateVector(leaves: Iterable<ScaledLeaf>): Float32Array | undefined {
  const vector = new Float32Array(STATE_DIMENSIONS);
  for (const { place, isNumber, value, weight, center, spread } of leaves) {
    if (!isNumber) {
      addAt(vector, mixed(place, value % 2 ** 32), weight);
      continue;
    }
    const distance =
      spread > 0 ? Math.max(-1e9, Math.min(1e9, value / spread - center / spread)) : Math.sign(value - center);
    // From 0 to 1, half of it within one spread of the median.
    const within = 0.5 + (0.5 * distance) / (1 + Math.abs(distance));
    WAVES.forEach(([wave, share], at) => {
      const amount = weight * Math.sqrt(share);
      addAt(vector, mixed(place, 2 * at), amount * Math.cos(wave * within));
      addAt(vector, mixed(place, 2 * at + 1), amount * Math.sin(wave * within));
    });
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? vector.map((value) => value / length) : undefined;
}

/** Adds to one dimension, with a sign, so that values of different places that share it cancel out on average. */
function addAt(vector: Float32Array, hash: number, amount: number): void {
  const at = (hash >>> 1) % STATE_DIMENSIONS;
  vector[at] = (vector[at] ?? 0) + (hash & 1 ? amount : -amount);
}

/** MurmurHash3's mixing of two numbers of 32 bits. */
function mixed(one: number, other: number): number {
  let bits = Math.imul(one ^ Math.imul(other | 0, 0xcc9e2d51), 0x1b873593);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
