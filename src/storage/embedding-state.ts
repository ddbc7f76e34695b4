import type { Embedding } from '../memory/memory.ts';

/** Whether a memory has a vector or one is pending. */
export type EmbeddingState = 'none' | 'pending' | 'there';

/** State of a memory with this vector, or without one, which may be pending. */
export function embeddingStateOf(embedding: Embedding | undefined, isPending: boolean): EmbeddingState {
  return embedding ? 'there' : isPending ? 'pending' : 'none';
}

/** The vector part of a write. */
export interface VectorWrite {
  readonly embedding?: Embedding | null;
  readonly embeddingPending?: boolean;
}

/**
 * State after a write. A vector ends the pending state; a new pending state drops the former vector, which is of
 * another text; `null` drops it too; an absent value changes nothing.
 */
export function nextEmbeddingState(state: EmbeddingState, write: VectorWrite): EmbeddingState {
  if (write.embedding) return 'there';
  if (write.embeddingPending) return 'pending';
  if (write.embedding === null && state === 'there') return 'none';
  if (write.embeddingPending === false && state === 'pending') return 'none';
  return state;
}

/** The vector part of a replacement: the vector of an equal text stays when there is no new one. */
export function vectorOfReplacement(
  state: EmbeddingState,
  isOtherText: boolean,
  { embedding, embeddingPending }: { readonly embedding?: Embedding; readonly embeddingPending: boolean },
): VectorWrite {
  if (embedding) return { embedding };
  return state === 'there' && !isOtherText ? {} : { embedding: null, embeddingPending };
}
