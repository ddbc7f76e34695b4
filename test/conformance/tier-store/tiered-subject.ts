import type { MemoryStore } from '../../../src/storage/memory-store.ts';
import type { TierStore } from '../../../src/storage/tier-store.ts';

/** A store with its tiers. */
export interface TieredSubject {
  readonly store: MemoryStore;
  readonly tiers: TierStore;
}
