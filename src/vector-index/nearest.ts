import { newFloats, unitVector } from '../memory/floats.ts';
import type { Neighbor } from './vector-index.ts';

/** Collects the `limit` nearest of the neighbors offered to it; equal similarities are ordered by key. */
export class Nearest {
  private readonly limit: number;
  private kept: Neighbor[] = [];
  /** True when `kept` is in order and not longer than `limit`. */
  private isSettled = true;
  private floorFound = Number.NEGATIVE_INFINITY;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Minimum similarity of a result. May lag behind the rows that were offered. */
  get floor(): number {
    return this.floorFound;
  }

  offer(key: number, similarity: number): void {
    if (similarity < this.floorFound) return;
    this.kept.push({ key, similarity });
    this.isSettled = false;
    // Sorting a batch now and then is cheaper than keeping every newcomer in its place.
    if (this.kept.length >= 2 * this.limit + 32) this.settle();
  }

  /** Brings `floor` up to date. */
  settle(): void {
    if (this.isSettled) return;
    this.kept.sort(nearestFirst);
    if (this.kept.length > this.limit) this.kept.length = this.limit;
    if (this.kept.length === this.limit) this.floorFound = this.kept[this.limit - 1]?.similarity ?? this.floorFound;
    this.isSettled = true;
  }

  take(): Neighbor[] {
    this.settle();
    return this.kept;
  }
}

function nearestFirst(one: Neighbor, other: Neighbor): number {
  return other.similarity - one.similarity || one.key - other.key;
}

/**
 * Dot product of two vectors of one dimension. Four partial sums take a third of the time of a single one. Every
 * similarity that is returned is computed here, so that equal vectors are equally near whichever way they were found.
 */
export function dotProduct(one: Float32Array, other: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = one.length - (one.length % 4);
  let i = 0;
  for (; i < whole; i += 4) {
    a += (one[i] as number) * (other[i] as number);
    b += (one[i + 1] as number) * (other[i + 1] as number);
    c += (one[i + 2] as number) * (other[i + 2] as number);
    d += (one[i + 3] as number) * (other[i + 3] as number);
  }
  for (; i < one.length; i++) a += (one[i] as number) * (other[i] as number);
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
