import { setTimeout as sleep } from 'node:timers/promises';
import { AdminServiceService, type VectorIndexStatistics } from '../../../gen/ts/mneme/v1/admin_service.ts';
import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { BatchStoreMemoriesRequest, MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Caller } from '../servers/caller.ts';
import { type Corpus, idOf, memoryOf, PARENT } from './corpus.ts';

const BATCH = 100;
const IN_FLIGHT = 4;
const POLL_MS = 500;
/** Default of `--max-exact-vectors`: up to it there is no graph. */
export const EXACT_MAX = 5000;

/** Stores the first `count` memories of a corpus; returns how long it took. */
export async function populate(
  caller: Caller,
  corpus: Pick<Corpus, 'texts' | 'vectors'>,
  count: number,
  withVectors: boolean,
  parent = PARENT,
  memory = (at: number): Memory => memoryOf(corpus, at, withVectors),
): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const store = async (): Promise<void> => {
    while (next < count) {
      const first = next;
      next += BATCH;
      await caller.ask(MemoryServiceService.batchStoreMemories, {
        ...batchOf(memory, first, Math.min(BATCH, count - first)),
        parent,
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, store));
  return performance.now() - startedMs;
}

function batchOf(memory: (at: number) => Memory, first: number, count: number): BatchStoreMemoriesRequest {
  return BatchStoreMemoriesRequest.fromPartial({
    requests: Array.from({ length: count }, (_, i) => ({
      memory: memory(first + i),
      memoryId: idOf(first + i),
    })),
  });
}

/**
 * Waits until every vector is in the graph, where there are enough of them for one; returns how long it took. A recall
 * must have been made in the namespace: the index of one in which nobody has recalled may not be begun.
 */
export async function graphBuilt(caller: Caller, count: number): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const index = await indexOf(caller);
    const isWhole = index?.vectorCount === count;
    if (isWhole && (index.exactCount === 0 || count <= EXACT_MAX)) return performance.now() - startedMs;
    await sleep(POLL_MS);
  }
}

/** Number of vectors that are searched one by one, because the graph does not have them yet. */
export async function vectorsOutsideGraph(caller: Caller): Promise<number> {
  return (await indexOf(caller))?.exactCount ?? Number.NaN;
}

async function indexOf(caller: Caller): Promise<VectorIndexStatistics | undefined> {
  const request = { simplified: true, agent: '' };
  const { vectorIndexes } = await caller.ask(AdminServiceService.getServerStatistics, request);
  return vectorIndexes.find(({ namespace }) => namespace === PARENT);
}
