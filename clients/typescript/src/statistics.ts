import type { RecallCacheStatistics as RecallCacheMessage } from '../../../gen/ts/mneme/v1/admin_service.ts';
import type {
  MemoryAccess as AccessMessage,
  MemoryStatistics as StatisticsMessage,
} from '../../../gen/ts/mneme/v1/namespace_service.ts';
import { incompleteAnswer } from './bad-input.ts';
import { tierOf } from './enums.ts';
import type { Tier } from './memory.ts';
import { dateOf } from './precise-date.ts';
import { msOf } from './streams/heartbeat.ts';

/** Totals of a namespace or of the whole server. */
export interface MemoryStatistics {
  readonly memoryCount: number;
  /** Bytes of text and content, before any compression. */
  readonly contentBytes: number;
  readonly embeddedCount: number;
  readonly embeddingPendingCount: number;
  readonly importanceMean: number;
  /** Sum of `retrievalCount` over the memories. */
  readonly retrievalCount: number;
  /** Most first. */
  readonly types: readonly { readonly type: string; readonly memoryCount: number }[];
  readonly tiers: readonly TierStatistics[];
  /** Up to five memories with the most retrievals, at least one. */
  readonly mostAccessed: readonly MemoryAccess[];
  /** Up to five that were recalled least, the oldest first. */
  readonly leastAccessed: readonly MemoryAccess[];
}

export interface TierStatistics {
  readonly tier: Tier;
  readonly memoryCount: number;
  readonly contentBytes: number;
  /** Bytes as the tier keeps them: divided by `contentBytes` the ratio of compression. */
  readonly storedBytes: number;
  readonly importanceMean: number;
}

export interface MemoryAccess {
  /** Resource name of the memory. */
  readonly name: string;
  readonly retrievalCount: number;
  readonly lastAccessTime?: Date;
}

export interface RecallCacheStatistics {
  /** 0: the cache is off. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  readonly ttlMs: number;
  readonly entryCount: number;
  /** Approximate size of the cached answers. */
  readonly entryBytes: number;
  readonly hitCount: number;
  readonly missCount: number;
  /** Recalls that are never cached. */
  readonly bypassedCount: number;
  readonly evictedCount: number;
}

export function statisticsOf(message: StatisticsMessage | undefined): MemoryStatistics {
  if (message === undefined) throw incompleteAnswer('statistics');
  return {
    ...message,
    tiers: message.tiers.map((each) => ({ ...each, tier: tierOf(each.tier) })),
    mostAccessed: message.mostAccessed.map(accessOf),
    leastAccessed: message.leastAccessed.map(accessOf),
  };
}

export function recallCacheOf({ ttl, ...cache }: RecallCacheMessage): RecallCacheStatistics {
  return { ...cache, ttlMs: ttl ? msOf(ttl) : 0 };
}

function accessOf({ name, retrievalCount, lastAccessTime }: AccessMessage): MemoryAccess {
  return { name, retrievalCount, ...(lastAccessTime && { lastAccessTime: dateOf(lastAccessTime) }) };
}
