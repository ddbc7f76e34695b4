import type { MirroredMemory } from '../mirror-store.ts';
import { entryOfCopy } from './entry-of-copy.ts';
import { fill } from './namespaces.ts';
import type { RoomWriter } from './room-writer.ts';

/** Lets go of memories that are still as they were copied. */
export function releaseOf(writer: RoomWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  const ids = copies.map(({ memory }) => memory.id);
  return writer.submit({
    ids,
    copies,
    atUs: 0,
    frees: true,
    isRecovery: true,
    run: (draft) => {
      const released = copies.filter(({ memory }) => draft.entries.get(memory.id)?.memory === memory);
      for (const { memory } of released) {
        draft.entries.delete(memory.id);
        draft.releasedIds.add(memory.id);
        draft.revision++;
      }
      return released.map(({ memory }) => memory.id);
    },
  });
}

/** Takes memories of another store in, revision, times, counts and former states as they were; an id that is taken stays out. */
export function adoptInto(
  writer: RoomWriter,
  { namespace, copies }: { readonly namespace: string; readonly copies: readonly MirroredMemory[] },
): Promise<readonly string[]> {
  return writer.submit({
    ids: copies.map(({ memory }) => memory.id),
    atUs: 0,
    createsRoom: true,
    run: (draft) => {
      if (!draft.isThere) fill(draft, { name: namespace, description: '', memoryLimit: 0, atUs: 0 });
      const adopted = copies.filter(({ memory }) => !draft.entries.has(memory.id));
      for (const copy of adopted) {
        const { memory } = copy;
        if (memory.embedding) draft.admitEmbedding(memory.embedding);
        draft.entries.set(memory.id, entryOfCopy(copy, draft.nextSequence++));
        draft.revision++;
      }
      return adopted.map(({ memory }) => memory.id);
    },
  });
}
