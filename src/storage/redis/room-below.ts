import { memoryNotFound } from '../../memory/errors.ts';
import type { Memory } from '../../memory/memory.ts';
import { ChangedBelow } from '../changed-below.ts';
import { deleteMemories, updateMemory } from '../in-memory/write-memories.ts';
import type { DeleteOutcome, DeleteWrite, UpdateWrite, WriteOutcome } from '../memory-store.ts';
import type { HotStore } from '../mirror-store.ts';
import { entryOfCopy } from './entry-of-copy.ts';
import type { RoomWriter } from './room-writer.ts';

/** What came up into the room meanwhile is updated there. */
export function rewriteBelow(
  writer: RoomWriter,
  { below, followedRevision, ...write }: Parameters<HotStore['rewrite']>[0],
): Promise<WriteOutcome> {
  const { namespace, id, atUs, idempotency, successor } = write satisfies UpdateWrite;
  return writer.submit({
    ids: successor ? [id, successor.id] : [id],
    atUs,
    idempotency,
    run: (draft) => {
      if (draft.entries.has(id)) return updateMemory(draft, write);
      if (draft.erasedIds.has(id)) throw memoryNotFound(namespace, id);
      if ((draft.state.belowRevision ?? 0) > followedRevision) throw new ChangedBelow();
      const earlier = draft.rewritten.findLast(({ memory }) => memory.id === id);
      draft.entries.set(id, earlier ?? entryOfCopy(below, 0));
      try {
        const outcome = updateMemory(draft, write);
        const entry = draft.entry(id, atUs);
        draft.rewritten.push({ ...entry, past: [] });
        return outcome;
      } finally {
        draft.entries.delete(id);
      }
    },
  });
}

/** One step for what is in the room and what is not. */
export function deleteWithBelow(
  writer: RoomWriter,
  { below, ...write }: DeleteWrite & { readonly below: readonly Memory[] },
): Promise<DeleteOutcome> {
  const { ids, atUs, idempotency, outcomeToKeep: toKeep } = write;
  return writer.submit({
    ids,
    atUs,
    idempotency,
    toKeep,
    frees: true,
    run: (draft) => {
      const brought = below.filter(({ id }) => !draft.entries.has(id) && !draft.erasedIds.has(id));
      for (const memory of brought) draft.entries.set(memory.id, entryOfCopy({ ...UNKNOWN, memory }, 0));
      try {
        return deleteMemories(draft, write);
      } finally {
        for (const { id } of brought) draft.entries.delete(id);
      }
    },
  });
}

const UNKNOWN = { tierSinceUs: 0, embeddingPending: false, notBeforeUs: 0, past: [] } as const;
