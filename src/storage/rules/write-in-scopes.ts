import { checkWritable } from '../../memory/scope.ts';
import { idsOfStore } from '../changed-memory.ts';
import type { DeleteOutcome, DeleteWrite, StoreWrite, UpdateWrite, WriteOutcome } from '../records.ts';
import type { Draft } from './draft.ts';
import { deleteMemories, storeMemories, updateMemory } from './write-memories.ts';

/*
 * Writes of memories under the scope policies of their namespace. They fail with SCOPE_READ_ONLY where a changed memory
 * is, or was, in a read-only scope.
 */

/** Fails also for memories that equal the stored ones. */
export function storeInScopes(draft: Draft, write: StoreWrite): WriteOutcome {
  for (const { scope } of write.memories) checkWritable(draft.policies, scope);
  return inScopes(
    draft,
    () => idsOfStore(write),
    () => storeMemories(draft, write),
  );
}

export function updateInScopes(draft: Draft, write: UpdateWrite): WriteOutcome {
  return inScopes(
    draft,
    () => idsOfUpdate(write),
    () => updateMemory(draft, write),
  );
}

export function idsOfUpdate({ id, successor }: Pick<UpdateWrite, 'id' | 'successor'>): string[] {
  return successor ? [id, successor.id] : [id];
}

/** Expired memories are erased in any scope. */
export function deleteInScopes(draft: Draft, write: DeleteWrite): DeleteOutcome {
  const run = () => deleteMemories(draft, write);
  return write.cause === 'expired' ? run() : inScopes(draft, () => write.ids, run);
}

/** Runs a write that changes the memories of the ids. */
function inScopes<O>(draft: Draft, idsOf: () => readonly string[], run: () => O): O {
  if (!draft.policies.some(({ isReadOnly }) => isReadOnly)) return run();
  const before = new Map(idsOf().map((id) => [id, draft.entries.get(id)]));
  const outcome = run();
  for (const [id, former] of before) {
    const present = draft.entries.get(id);
    if (former === present) continue;
    for (const entry of [former, present]) if (entry) checkWritable(draft.policies, entry.memory.scope);
  }
  return outcome;
}
