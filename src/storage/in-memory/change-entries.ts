import type { Micros } from '../../memory/memory.ts';
import type { LateVector } from '../memory-store.ts';
import type { Draft } from './draft.ts';

/** Counts a retrieval of each memory that is there, and not damaged. */
export function touchMemories(draft: Draft, ids: readonly string[], atUs: Micros): { revision: number } {
  for (const id of ids) {
    const entry = draft.find(id, atUs);
    if (!entry || entry.isDamaged) continue;
    const retrievalCount = entry.memory.retrievalCount + 1;
    const memory = { ...entry.memory, retrievalCount, lastAccessedAtUs: atUs };
    draft.entries.set(id, { ...entry, memory, tierSinceUs: Math.max(entry.tierSinceUs, atUs) });
    draft.revision++;
  }
  return { revision: draft.revision };
}

/** Gives memories that wait for their vectors these; those that do not wait, are damaged or have another text by now get none. */
export function embedLater(draft: Draft, vectors: readonly LateVector[]): { revision: number } {
  for (const { id, checksum, embedding } of vectors) {
    const entry = draft.entries.get(id);
    if (entry?.state !== 'pending' || entry.isDamaged || entry.memory.checksum !== checksum) continue;
    if (!embedding) {
      draft.entries.set(id, { ...entry, state: 'none' });
      continue;
    }
    draft.admitEmbedding(embedding);
    const copy = { ...embedding, values: Float32Array.from(embedding.values) };
    draft.entries.set(id, { ...entry, state: 'there', memory: { ...entry.memory, embedding: copy } });
    draft.revision++;
  }
  return { revision: draft.revision };
}
