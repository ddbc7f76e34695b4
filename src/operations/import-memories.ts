import type { Call } from '../memory/call.ts';
import type { MemoryDeps } from './operation-deps.ts';
import { type StoreRequest, storeMemories } from './store-memories.ts';

/** How far an import has come; each count includes what came before. */
export interface ImportProgress {
  readonly acknowledgedCount: number;
  readonly storedCount: number;
  readonly skippedCount: number;
  readonly revision: number;
}

/** Stores batch after batch, each as a whole, and tells of each once it is on disk. */
export async function* importMemories(
  deps: MemoryDeps,
  batches: AsyncIterable<StoreRequest>,
  call: Call,
): AsyncGenerator<ImportProgress> {
  let [acknowledgedCount, storedCount, skippedCount] = [0, 0, 0];
  for await (const batch of batches) {
    const { memories, revision } = await storeMemories(deps, batch, call);
    acknowledgedCount++;
    for (const { written } of memories) written ? storedCount++ : skippedCount++;
    yield { acknowledgedCount, storedCount, skippedCount, revision };
  }
}
