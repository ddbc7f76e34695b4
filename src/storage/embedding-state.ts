import type { Embedding } from '../memory/memory.ts';

/** Whether a memory has a vector or waits for one. */
export type EmbeddingState = 'none' | 'pending' | 'there';

/** State of a memory that has this vector, or none and perhaps waits for one. */
export function embeddingStateOf(embedding: Embedding | undefined, isPending: boolean): EmbeddingState {
  return embedding ? 'there' : isPending ? 'pending' : 'none';
}

/** What a write says of the vector. */
export interface VectorWrite {
  readonly embedding?: Embedding | null;
  readonly embeddingPending?: boolean;
}

/**
 * State after a write. A vector given ends the waiting; waiting anew drops the vector there was, which is of another
 * text; `null` drops it too; what is not said stays.
 */
export function nextEmbeddingState(state: EmbeddingState, write: VectorWrite): EmbeddingState {
  if (write.embedding) return 'there';
  if (write.embeddingPending) return 'pending';
  if (write.embedding === null && state === 'there') return 'none';
  if (write.embeddingPending === false && state === 'pending') return 'none';
  return state;
}

/** What the replacement of a memory says of its vector: one of the same text stays when there is no new one. */
export function vectorOfReplacement(
  state: EmbeddingState,
  isOtherText: boolean,
  { embedding, embeddingPending }: { readonly embedding?: Embedding; readonly embeddingPending: boolean },
): VectorWrite {
  if (embedding) return { embedding };
  return state === 'there' && !isOtherText ? {} : { embedding: null, embeddingPending };
}
