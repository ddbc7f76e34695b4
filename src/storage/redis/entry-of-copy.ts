import { embeddingStateOf } from '../embedding-state.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { Entry } from '../in-memory/draft.ts';

/** A copy as an entry of a room: revision, times, counts and former states as they were. */
export function entryOfCopy(copy: MirroredMemory, sequence: number): Entry {
  const { memory, embeddingPending, notBeforeUs, tierSinceUs, past, resolution } = copy;
  return {
    memory,
    sequence,
    state: embeddingStateOf(memory.embedding, embeddingPending),
    attempts: 0,
    notBeforeUs,
    tierSinceUs,
    change: past.length > 0 ? 'updated' : 'stored',
    past,
    ...(resolution && { resolution }),
  };
}
