import type { Memory } from '../../memory/memory.ts';
import type { Entry } from '../in-memory/draft.ts';
import type { MirroredMemory } from '../mirror-store.ts';
import { isSameMemory } from '../same-memory.ts';
import { entryOfCopy } from './entry-of-copy.ts';
import { fill } from './namespaces.ts';
import type { RoomDraft } from './room-state.ts';
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
    run: (draft) =>
      letGo(
        draft,
        copies.filter(({ memory }) => draft.entries.get(memory.id)?.memory === memory).map(({ memory }) => memory),
      ),
  });
}

/** The same of memories that were read from another store, and have no former states. */
export function releaseUnchangedOf(writer: RoomWriter, memories: readonly Memory[]): Promise<readonly string[]> {
  return writer.submit({
    ids: memories.map(({ id }) => id),
    atUs: 0,
    frees: true,
    isRecovery: true,
    onlyMoves: true,
    run: (draft) =>
      letGo(
        draft,
        memories.filter((memory) => isUnchanged(draft.entries.get(memory.id), memory)),
      ),
  });
}

function isUnchanged(entry: Entry | undefined, memory: Memory): boolean {
  if (!entry || entry.isDamaged || entry.change !== 'stored' || entry.state === 'pending') return false;
  return isSameMemory(entry.memory, memory);
}

function letGo(draft: RoomDraft, memories: readonly Memory[]): string[] {
  return memories.map(({ id }) => {
    draft.entries.delete(id);
    draft.releasedIds.add(id);
    draft.revision++;
    return id;
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
