import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import type { Clock } from './memory/clock.ts';
import type { RecallEngine } from './recall/recall-engine.ts';
import { startSearchThread } from './start-search-thread.ts';
import type { MemoryStore } from './storage/memory-store.ts';
import type { ReembeddingStore } from './storage/reembedding-store.ts';
import { openSqliteStore } from './storage/sqlite/memory-store.ts';
import type { Scan } from './storage/sqlite/scan.ts';

/** Where memories are kept and found. */
export interface Storage {
  readonly store: MemoryStore;
  readonly engine: RecallEngine;
}

export interface OpenStorage extends Storage {
  readonly reembeddings: ReembeddingStore;
  /** Writes that wait. */
  readonly queuedCount: () => number;
}

/** Opens the data folder. The store comes first: it makes the folder that the search thread reads. */
export async function openStorage(
  config: Config,
  logger: Logger,
  clock: Clock,
  closers: (() => Promise<void>)[],
): Promise<OpenStorage> {
  let scan: Scan | undefined;
  const store = await openSqliteStore({
    folder: config.data,
    clock,
    queue: { queueMax: config.maxWriteQueueCount, queueBytesMax: config.maxWriteQueueBytes },
    idempotencyRetentionMs: config.idempotencyRetentionMs,
    scan: (request) => {
      if (!scan) throw new Error('the search thread has not started');
      return scan(request);
    },
  });
  closers.push(() => store.close());
  const options = {
    folder: config.data,
    exactVectorsMax: config.maxExactVectors,
    memoryBytesMax: config.maxVectorMemoryBytes,
    saveIntervalMs: config.vectorSnapshotIntervalMs,
    embedTexts: config.embedder === 'static',
    isLearned: config.ranker === 'learned',
  };
  const search = startSearchThread(options, (part, err) =>
    logger.error({ part, err }, 'a part of the search has failed'),
  );
  scan = search.scan;
  closers.push(() => search.engine.close());
  return { store, engine: search.engine, reembeddings: store, queuedCount: () => store.queuedCount };
}
