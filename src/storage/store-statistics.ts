import type { Micros, Tier } from '../memory/memory.ts';

export interface MemoryAccess {
  readonly namespace: string;
  readonly id: string;
  readonly retrievalCount: number;
  readonly lastAccessedAtUs?: Micros;
}

export interface StoreStatistics {
  readonly namespaceCount: number;
  readonly memoryCount: number;
  readonly contentBytes: number;
  readonly embeddedCount: number;
  readonly embeddingPendingCount: number;
  readonly importanceMean: number;
  readonly retrievalCount: number;
  /** Most first, at most 100. */
  readonly types: readonly { type: string; count: number }[];
  readonly tiers: readonly {
    readonly tier: Tier;
    readonly count: number;
    readonly contentBytes: number;
    /** As the tier keeps them; absent where the store does not count them. */
    readonly storedBytes?: number;
    readonly importanceMean?: number;
  }[];
  /** At most 5 each, the most first and the least first; absent where the store does not look for them. */
  readonly mostAccessed?: readonly MemoryAccess[];
  readonly leastAccessed?: readonly MemoryAccess[];
  readonly diskBytes: number;
  /** Why what is counted is not all there is; absent where it is. */
  readonly degraded?: string;
}
