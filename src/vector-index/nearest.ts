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

  /** Whatever is below has no chance any more. May lag behind what was offered. */
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
