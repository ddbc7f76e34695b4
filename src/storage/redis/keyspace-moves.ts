import type { Memory } from '../../memory/memory.ts';
import type { MirroredMemory } from '../hot-log.ts';
import type { HotStore } from '../mirror-store.ts';
import { moveMemories } from '../rules/write-memories.ts';
import type { MoveOutcome, MoveWrite } from '../tier-store.ts';
import type { Job, KeyspaceWriter } from './keyspace-writer.ts';
import { fill } from './namespaces.ts';
import { entryOfCopy } from './whole-copies.ts';

/** Moves memories between tiers of the keyspace. */
export function moveTiers(writer: KeyspaceWriter, write: MoveWrite): Promise<MoveOutcome> {
  const { ids, atUs } = write;
  // Vectors stay unchanged.
  return writer.submit({ ids, atUs, view: 'basic', onlyMoves: true, run: (draft) => moveMemories(draft, write) });
}

/** Releases memories that are unchanged since they were copied. */
export function releaseOf(writer: KeyspaceWriter, copies: readonly MirroredMemory[]): Promise<readonly string[]> {
  const memories = copies.map(({ memory }) => memory);
  return writer.submit({ ...releaseJob(memories), view: 'metadata', copies });
}

/** The same for memories that were read back from another store and have no former states. */
export function releaseUnchangedOf(writer: KeyspaceWriter, memories: readonly Memory[]): Promise<readonly string[]> {
  return writer.submit({ ...releaseJob(memories), view: 'sums', unchanged: memories, onlyMoves: true });
}

/** Ids of memories that match their loaded state: all others differ from the caller's copies. */
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
      if (released.length > 0) draft.handovers++;
      return released;
    },
  };
}

/**
 * Takes in memories of another store, with their revision, times, counts and former states; a memory with a used id
 * stays out.
 */
export function adoptInto(
  writer: KeyspaceWriter,
  { namespace, copies, ownership }: Parameters<HotStore['adopt']>[0],
): Promise<readonly string[]> {
  return writer.submit({
    ids: copies.map(({ memory }) => memory.id),
    atUs: 0,
    createsKeyspace: true,
    run: (draft) => {
      draft.checkOwner({ ownership });
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
