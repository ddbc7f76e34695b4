import type { Embedding } from '../memory/memory.ts';

/** Whether a memory has a vector or waits for one. */
export type EmbeddingState = 'none' | 'pending' | 'there';

/**
 * State after a write. A vector given ends the waiting; waiting anew drops the vector there was, which is of another
 * text; `null` drops it too; what is not said stays.
 */
export function nextEmbeddingState(
  state: EmbeddingState,
  write: { readonly embedding?: Embedding | null; readonly embeddingPending?: boolean },
): EmbeddingState {
  if (write.embedding) return 'there';
  if (write.embeddingPending) return 'pending';
  if (write.embedding === null && state === 'there') return 'none';
  if (write.embeddingPending === false && state === 'pending') return 'none';
  return state;
}
