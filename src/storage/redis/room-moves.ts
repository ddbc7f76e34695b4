import type { Memory } from '../../memory/memory.ts';
import { ChangedBelow } from '../changed-below.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { HotStore } from '../mirror-store.ts';
import { entryOfCopy } from './entry-of-copy.ts';
import { fill } from './namespaces.ts';
import type { Job } from './room-job.ts';
import type { RoomWriter } from './room-writer.ts';

/** Lets go of memories that are still as they were copied. */
export function releaseOf(writer: RoomWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  const memories = copies.map(({ memory }) => memory);
  return writer.submit({ ...releaseJob(memories), view: 'metadata', copies });
}

/** The same of memories that were read from another store, and have no former states. */
export function releaseUnchangedOf(writer: RoomWriter, memories: readonly Memory[]): Promise<readonly string[]> {
  return writer.submit({ ...releaseJob(memories), view: 'sums', unchanged: memories, onlyMoves: true });
}

/** Of memories that were put in the place of what was loaded of them: the others are not as they are known elsewhere. */
function releaseJob(memories: readonly Memory[]): Job<readonly string[]> {
  return {
    ids: memories.map(({ id }) => id),
    atUs: 0,
    frees: true,
    isRecovery: true,
    run: (draft) => {
      const released = memories.filter((memory) => draft.entries.get(memory.id)?.memory === memory).map(({ id }) => id);
      for (const id of released) {
        draft.entries.delete(id);
        draft.releasedIds.add(id);
        draft.revision++;
      }
      return released;
    },
  };
}

/** Takes memories of another store in, revision, times, counts and former states as they were; an id that is taken stays out. */
export function adoptInto(
  writer: RoomWriter,
  { namespace, copies, followedRevision }: Parameters<HotStore['adopt']>[0],
): Promise<readonly string[]> {
  return writer.submit({
    ids: copies.map(({ memory }) => memory.id),
    atUs: 0,
    createsRoom: true,
    run: (draft) => {
      if ((draft.state.belowRevision ?? 0) > followedRevision || draft.rewritten.length > 0) throw new ChangedBelow();
      if (!draft.isThere) fill(draft, { name: namespace, description: '', memoryLimit: 0, atUs: 0 });
      const adopted = copies.filter(({ memory: { id } }) => !draft.entries.has(id) && !draft.erasedIds.has(id));
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
