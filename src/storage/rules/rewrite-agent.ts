import type { Micros } from '../../memory/memory.ts';
import type { AgentForked, AgentRestored, AgentSnapshot } from '../agent-snapshots.ts';
import type { NewMemory } from '../records.ts';
import { type AgentStates, renewedMemory } from './agent-states.ts';
import type { PartialDraft } from './partial-draft.ts';
import { deleteInScopes, storeInScopes, updateInScopes } from './write-in-scopes.ts';

/** A snapshot, the memories of its agent then, and those of now. */
export interface FoundAgent {
  readonly snapshot: AgentSnapshot;
  readonly former: AgentStates;
  readonly present: AgentStates;
}

interface Rewrite {
  readonly embedsLater: boolean;
  readonly atUs: Micros;
}

export function restoreAgent(
  draft: PartialDraft,
  { former, present }: FoundAgent,
  { embedsLater, atUs }: Rewrite,
): AgentRestored {
  const write = { namespace: draft.name, createNamespace: false, atUs };
  const as = { embedsLater, model: draft.namespace.embeddingModel, atUs };
  const memories = [...former.values()].map((memory) => renewedMemory(memory, as));
  const later = [...present.keys()].filter((one) => !former.has(one));
  deleteInScopes(draft, { ...write, ids: later, cause: 'deleted', mustExist: false });
  const restoredIds = new Set<string>();
  for (const { id, isVectorless } of former.values()) {
    if (!isVectorless || !present.get(id)?.embedding) continue;
    updateInScopes(draft, { ...write, id, changes: { embedding: null, embeddingPending: false } });
    restoredIds.add(id);
  }
  const stored = storeInScopes(draft, { ...write, memories, onConflict: 'replace' });
  for (const { id, written } of stored.memories) if (written) restoredIds.add(id);
  return { restoredCount: restoredIds.size, erasedCount: later.length, revision: draft.revision };
}

/** Stores copies of the memories of an agent (`branchedMemories`); those that exist stay. */
export function forkAgent(
  draft: PartialDraft,
  memories: readonly NewMemory[],
  { atUs }: Pick<Rewrite, 'atUs'>,
): AgentForked {
  const write = { namespace: draft.name, memories, createNamespace: false, onConflict: 'keep', atUs } as const;
  const stored = storeInScopes(draft, write);
  return { copiedCount: stored.memories.filter(({ written }) => written).length, revision: draft.revision };
}
