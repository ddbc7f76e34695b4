import type { Memory } from '../../memory/memory.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { MirroredMemory } from '../mirror-store.ts';
import { layOut } from './entry-layout.ts';

/** Gives what was loaded of a memory the bytes of its copy, if it is still as it was copied. */
export function putCopy(entries: Map<string, Entry>, copy: MirroredMemory): void {
  const { memory, tierSinceUs, embeddingPending } = copy;
  const entry = entries.get(memory.id);
  if (!entry || entry.tierSinceUs !== tierSinceUs || (entry.state === 'pending') !== embeddingPending) return;
  // Other bytes come with another revision, or with the end of waiting for a vector.
  const isSame = layOut(withoutBytes(entry, entry.memory)) === layOut(withoutBytes(entry, memory));
  if (isSame) entries.set(memory.id, { ...entry, memory });
}

function withoutBytes(entry: Entry, { content: _, embedding: __, ...memory }: Memory): Entry {
  return { ...entry, memory };
}
