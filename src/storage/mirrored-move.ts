import type { EmbeddingState } from './embedding-state.ts';
import type { MirroredMemory, MirroredMove } from './mirror-store.ts';

/** What is told of a memory that was only moved, with the state of its vector. */
export function moveOf(
  { memory, tierSinceUs, resolution }: Pick<MirroredMemory, 'memory' | 'tierSinceUs' | 'resolution'>,
  embedding: EmbeddingState,
): MirroredMove {
  const { id, revision, tier, retrievalCount, lastAccessedAtUs } = memory;
  return {
    id,
    revision,
    embedding,
    tier,
    tierSinceUs,
    retrievalCount,
    ...(lastAccessedAtUs !== undefined && { lastAccessedAtUs }),
    ...(resolution && { resolution }),
  };
}
