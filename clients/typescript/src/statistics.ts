import type { MemoryStatistics as StatisticsMessage } from '../../../gen/ts/mneme/v1/namespace_service.ts';
import { tierOf } from './enums.ts';
import type { Tier } from './memory.ts';

/** What a namespace, or the whole server, holds. */
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
  readonly tiers: readonly { readonly tier: Tier; readonly memoryCount: number; readonly contentBytes: number }[];
}

export function statisticsOf(message: StatisticsMessage | undefined): MemoryStatistics {
  if (message === undefined) throw new TypeError('the answer holds no statistics');
  return {
    ...message,
    tiers: message.tiers.map(({ tier, memoryCount, contentBytes }) => ({
      tier: tierOf(tier),
      memoryCount,
      contentBytes,
    })),
  };
}
