import { newFloats, unitVector } from '../../memory/floats.ts';
import type { Neighbor } from './vector-index.ts';

/**
 * Collects the `limit` nearest of the neighbors offered to it; equal similarities are ordered by key. A heap whose root
 * is the last of them: most offers are refused by one comparison.
 */
export class Nearest {
  private readonly limit: number;
  private readonly keys: number[] = [];
  private readonly similarities: number[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Minimum similarity of a result. */
  get floor(): number {
    if (this.limit < 1) return Number.POSITIVE_INFINITY;
    return this.keys.length < this.limit ? Number.NEGATIVE_INFINITY : (this.similarities[0] as number);
  }

  /** Greatest number of neighbors. */
  get most(): number {
    return this.limit;
  }

  get size(): number {
    return this.keys.length;
  }

  offer(key: number, similarity: number): void {
    const { length } = this.keys;
    if (length < this.limit) {
      this.keys.push(key);
      this.similarities.push(similarity);
      this.rise(length, key, similarity);
    } else if (length > 0 && this.isBehind(0, key, similarity)) {
      this.sink(length, key, similarity);
    }
  }

  /** A collection of the nearest of these. */
  best(limit: number): Nearest {
    const best = new Nearest(limit);
    for (let i = 0; i < this.keys.length; i++) best.offer(this.keys[i] as number, this.similarities[i] as number);
    return best;
  }

  /** Nearest first; the collection is empty afterwards. */
  take(): Neighbor[] {
    const { keys, similarities } = this;
    const taken = new Array<Neighbor>(keys.length);
    for (let end = keys.length - 1; end >= 0; end--) {
      taken[end] = { key: keys[0] as number, similarity: similarities[0] as number };
      this.sink(end, keys[end] as number, similarities[end] as number);
    }
    keys.length = 0;
    similarities.length = 0;
    return taken;
  }

  /** True when the neighbor at a place comes after another one. */
  private isBehind(place: number, key: number, similarity: number): boolean {
    const own = this.similarities[place] as number;
    return own < similarity || (own === similarity && (this.keys[place] as number) > key);
  }

  private rise(from: number, key: number, similarity: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.isBehind(parent, key, similarity)) break;
      this.move(parent, at);
      at = parent;
    }
    this.keys[at] = key;
    this.similarities[at] = similarity;
  }

  /** Replaces the root of the first `size`. */
  private sink(size: number, key: number, similarity: number): void {
    const { keys, similarities } = this;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      const other = child + 1;
      if (other < size && this.isBehind(other, keys[child] as number, similarities[child] as number)) child = other;
      if (!this.isBehind(child, key, similarity)) break;
      this.move(child, at);
      at = child;
    }
    keys[at] = key;
    similarities[at] = similarity;
  }

  private move(from: number, to: number): void {
    this.keys[to] = this.keys[from] as number;
    this.similarities[to] = this.similarities[from] as number;
  }
}

/**
 * Dot product of a vector with the values of `one` from `from` on. Four partial sums take a third of the time of a
 * single one. Every similarity that is returned is computed here, so that equal vectors are equally near whichever way
 * they were found.
 */
export function dotProduct(one: Float32Array, other: Float32Array, from = 0): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = other.length - (other.length % 4);
  let i = 0;
  for (let at = from; i < whole; i += 4, at += 4) {
    a += (one[at] as number) * (other[i] as number);
    b += (one[at + 1] as number) * (other[i + 1] as number);
    c += (one[at + 2] as number) * (other[i + 2] as number);
    d += (one[at + 3] as number) * (other[i + 3] as number);
  }
  for (; i < other.length; i++) a += (one[from + i] as number) * (other[i] as number);
  return a + b + (c + d);
}

/**
 * A copy of the vector with length 1. Callers validate external input; this is the last check before native code, which
 * takes a vector of twice the dimension for two vectors and a NaN for a perfect match.
 */
export function directionOf(vector: Float32Array, dimension: number, floats = newFloats): Float32Array {
  if (vector.length !== dimension)
    throw new RangeError(`a vector of ${vector.length} values where ${dimension} are due`);
  const unit = unitVector(vector, floats);
  if (!unit) throw new RangeError('a vector without direction: all values are zero or one is not finite');
  return unit;
}
