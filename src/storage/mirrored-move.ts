import type { EmbeddingState } from './embedding-state.ts';
import type { HotEntry, MirroredMemory, MirroredMove } from './hot-log.ts';

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

/** Of memories with one entry, what it tells; nothing of those with several. */
export function loneKinds(entries: readonly HotEntry[]): ReadonlyMap<string, HotEntry['kind'] | undefined> {
  const kinds = new Map<string, HotEntry['kind'] | undefined>();
  for (const { id, kind } of entries) kinds.set(id, kinds.has(id) ? undefined : kind);
  return kinds;
}
