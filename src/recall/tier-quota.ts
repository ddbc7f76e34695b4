import type { Tier } from '../memory/memory.ts';

const TIERS = 3;

/** How many hits each tier still may have. */
export class TierQuota {
  private readonly limit: number;
  private readonly counts = new Map<Tier, number>();
  private fullCount = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  get isUsedUp(): boolean {
    return this.fullCount === TIERS;
  }

  /** False when the tier has as many as it may. */
  take(tier: Tier): boolean {
    const count = this.counts.get(tier) ?? 0;
    if (count === this.limit) return false;
    this.counts.set(tier, count + 1);
    if (count + 1 === this.limit) this.fullCount++;
    return true;
  }
}
