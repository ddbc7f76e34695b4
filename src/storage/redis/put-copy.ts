import type { Memory } from '../../memory/memory.ts';
import { vectorTailOf } from '../../memory/resolution/plain-vector.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { Entry } from '../in-memory/draft.ts';
import { layOut } from './entry-layout.ts';
import type { RoomEntry } from './room-entry.ts';

/** Gives what was loaded of a memory the bytes of its copy, if it is still as it was copied. */
export function putCopy(entries: Map<string, Entry>, copy: MirroredMemory): void {
  const { memory, tierSinceUs, embeddingPending } = copy;
  const entry = entries.get(memory.id);
  if (!entry || entry.tierSinceUs !== tierSinceUs || (entry.state === 'pending') !== embeddingPending) return;
  // Other bytes come with another revision, or with the end of waiting for a vector.
  const isSame = layOut(withoutBytes(entry, entry.memory)) === layOut(withoutBytes(entry, memory));
  if (isSame) entries.set(memory.id, { ...entry, memory });
}

/** The same for a memory that another store has read back and found to give its checksum, and that has no former states. */
export function putUnchanged(entries: Map<string, Entry>, memory: Memory): void {
  const entry: RoomEntry | undefined = entries.get(memory.id);
  if (!entry?.sums || entry.isDamaged || entry.change !== 'stored' || entry.state === 'pending') return;
  const { laid, vectorTail } = entry.sums;
  const { embedding } = memory;
  const isSameVector = embedding ? vectorTail?.equals(vectorTailOf(embedding.values)) : !vectorTail;
  if (isSameVector && laid === layOut({ ...entry, memory })) entries.set(memory.id, { ...entry, memory });
}

function withoutBytes(entry: Entry, { content: _, embedding: __, ...memory }: Memory): Entry {
  return { ...entry, memory };
}
