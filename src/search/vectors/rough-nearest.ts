import { Nearest } from './nearest.ts';

/** What similarities are computed from. */
interface Exact {
  /** Similarity to the query by the exact vector. */
  similarityAt(slot: number): number;
  keyAt(slot: number): number;
}

/**
 * The slots that may be among the `limit` nearest, by similarities that are known up to some slack: as many as `limit`
 * are certainly at least as near as the `floor`, so that slots that are certainly less near are left out.
 */
export class RoughNearest {
  /** The least that similarities can be. */
  private readonly certain: Nearest;
  /** Similarity of the last of as many as are wanted that were found elsewhere. */
  private readonly floorElsewhere: number;
  private readonly slots: number[] = [];
  /** The most that similarities can be. */
  private readonly ceilings: number[] = [];

  constructor(limit: number, floorElsewhere: number) {
    this.certain = new Nearest(limit);
    this.floorElsewhere = floorElsewhere;
  }

  /** A slot whose similarity is certainly less is left out. */
  get floor(): number {
    return Math.max(this.floorElsewhere, this.certain.floor);
  }

  offer(slot: number, similarity: number, slack: number): void {
    if (similarity + slack < this.floor) return;
    this.slots.push(slot);
    this.ceilings.push(similarity + slack);
    this.certain.offer(slot, similarity - slack);
  }

  /** Offers the slots to `nearest` by exact similarities, as far as they may be among those. */
  settle(exact: Exact, nearest: Nearest): void {
    const { slots, ceilings, floor } = this;
    const order = new Uint32Array(slots.length);
    let count = 0;
    for (let i = 0; i < slots.length; i++) if ((ceilings[i] as number) >= floor) order[count++] = i;
    const sorted = order.subarray(0, count).sort((a, b) => (ceilings[b] as number) - (ceilings[a] as number));
    for (const i of sorted) {
      if ((ceilings[i] as number) < nearest.floor) return;
      const slot = slots[i] as number;
      nearest.offer(exact.keyAt(slot), exact.similarityAt(slot));
    }
  }
}
