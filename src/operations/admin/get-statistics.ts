import type { RecallEngine, VectorIndexState } from '../../recall/recall-engine.ts';
import type { MemoryStore } from '../../storage/memory-store.ts';
import type { StoreStatistics } from '../../storage/store-statistics.ts';

export interface ServerStatistics {
  readonly statistics: StoreStatistics;
  readonly vectorIndexes: readonly VectorIndexState[];
  readonly revision: number;
}

/** Counts what the whole server holds. */
export async function getStatistics({
  store,
  engine,
}: {
  readonly store: MemoryStore;
  readonly engine: RecallEngine;
}): Promise<ServerStatistics> {
  const { revision } = store;
  const [statistics, vectorIndexes] = await Promise.all([store.statistics(), engine.statistics()]);
  return { statistics, vectorIndexes, revision };
}
