import { setTimeout as sleep } from 'node:timers/promises';
import { AdminServiceService } from '../../../gen/ts/mneme/v1/admin_service.ts';
import { BatchStoreMemoriesRequest, MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Caller } from '../servers/caller.ts';
import { type Corpus, idOf, memoryOf, PARENT } from './corpus.ts';

const BATCH = 100;
const IN_FLIGHT = 4;
const POLL_MS = 500;

/** Stores the first `count` memories of a corpus; returns how long it took. */
export async function populate(
  caller: Caller,
  corpus: Pick<Corpus, 'texts' | 'vectors'>,
  count: number,
  withVectors: boolean,
  parent = PARENT,
): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const store = async (): Promise<void> => {
    while (next < count) {
      const first = next;
      next += BATCH;
      await caller.ask(MemoryServiceService.batchStoreMemories, {
        ...batchOf(corpus, first, Math.min(BATCH, count - first), withVectors),
        parent,
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, store));
  return performance.now() - startedMs;
}

function batchOf(
  corpus: Pick<Corpus, 'texts' | 'vectors'>,
  first: number,
  count: number,
  withVectors: boolean,
): BatchStoreMemoriesRequest {
  return BatchStoreMemoriesRequest.fromPartial({
    requests: Array.from({ length: count }, (_, i) => ({
      memory: memoryOf(corpus, first + i, withVectors),
      memoryId: idOf(first + i),
    })),
  });
}

/**
 * Waits until every vector is in the graph, where there are enough of them for one; returns how long it took. A recall
 * must have been made in the namespace: the index of one in which nobody has recalled may not be begun.
 */
export async function graphBuilt(caller: Caller, count: number, exactMax: number): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { vectorIndexes } = await caller.ask(AdminServiceService.getServerStatistics, {
      simplified: true,
      agent: '',
    });
    const index = vectorIndexes.find(({ namespace }) => namespace === PARENT);
    const isWhole = index?.vectorCount === count;
    if (isWhole && (index.exactCount === 0 || count <= exactMax)) return performance.now() - startedMs;
    await sleep(POLL_MS);
  }
}
