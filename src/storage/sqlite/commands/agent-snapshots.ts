import { branchId } from '../../../memory/derived-id.ts';
import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../../agent-snapshots.ts';
import type { NewMemory } from '../../memory-store.ts';
import {
  type AgentState,
  deleteKept,
  deleteSnapshot,
  findSnapshot,
  insertSnapshot,
  presentStates,
  readSnapshot,
  statesOfSnapshot,
} from '../agents/snapshot-rows.ts';
import type { Changes } from '../changes.ts';
import { checkOwned } from './ownership.ts';
import { deleteMemories, store, update } from './store.ts';

type Write<K extends 'take' | 'drop' | 'restore' | 'fork'> = Parameters<AgentSnapshots[K]>[0];

export function takeSnapshot(
  changes: Changes,
  { namespace, id, scope, description, atUs }: Write<'take'>,
): AgentSnapshot {
  const { key } = changes.namespace(namespace);
  if (readSnapshot(changes.database).get({ namespace_key: key, id })) {
    throw new MnemeError('SNAPSHOT_EXISTS', `there is a snapshot ${JSON.stringify(id)} of an agent already`, {
      metadata: { snapshot: id },
    });
  }
  const { project, agentType, agent } = scope;
  const { revision } = changes.log;
  const row = {
    namespace_key: key,
    id,
    project,
    agent_type: agentType,
    agent,
    description,
    created_at_us: atUs,
    revision,
  };
  insertSnapshot(changes.database).run(row);
  return { id, scope, description, createdAtUs: atUs, revision };
}

export function dropSnapshot(changes: Changes, { namespace, id }: Write<'drop'>): undefined {
  const { key } = changes.namespace(namespace);
  findSnapshot(changes.database, key, id);
  deleteSnapshot(changes.database).run({ namespace_key: key, id });
  deleteKept(changes.database).run({ namespace_key: key, snapshot: id });
}

export function restoreAgent(
  changes: Changes,
  { namespace, id, embedsLater, atUs, mustOwn = false }: Write<'restore'>,
): AgentRestored {
  const { key, embedding_model: model } = changes.namespace(namespace);
  const snapshot = findSnapshot(changes.database, key, id);
  const former = statesOfSnapshot(changes.database, key, snapshot, namespace, atUs);
  const present = presentStates(changes.database, key, snapshot.scope, atUs);
  const later = [...present.keys()].filter((one) => !former.has(one));
  const memories = [...former.values()].map((memory) => newMemory(memory, { embedsLater, model, atUs }));
  deleteMemories(changes, { namespace, ids: later, cause: 'deleted', mustExist: false, atUs, mustOwn });
  const restoredIds = new Set<string>();
  for (const { id: one, isVectorless } of former.values()) {
    if (!isVectorless || !present.get(one)?.embedding) continue;
    const withoutVector = { embedding: null, embeddingPending: false };
    update(changes, { namespace, id: one, changes: withoutVector, atUs, mustOwn });
    restoredIds.add(one);
  }
  const stored = store(changes, { namespace, memories, createNamespace: false, onConflict: 'replace', atUs });
  for (const { id: one, written } of stored.memories) if (written) restoredIds.add(one);
  // A memory that stays as it is may have any owner.
  if (mustOwn) checkOwned(changes, namespace, [...restoredIds]);
  return { restoredCount: restoredIds.size, erasedCount: later.length, revision: changes.log.revision };
}

export function forkAgent(changes: Changes, { namespace, id, to, embedsLater, atUs }: Write<'fork'>): AgentForked {
  const { key, embedding_model: model } = changes.namespace(namespace);
  const snapshot = findSnapshot(changes.database, key, id);
  if (to.agent === snapshot.scope.agent) {
    throw invalidFields([{ field: 'to_scope.agent', description: 'must be another agent than the snapshot is of' }]);
  }
  const former = statesOfSnapshot(changes.database, key, snapshot, namespace, atUs);
  const memories = [...former.values()].map((memory) => ({
    ...newMemory(memory, { embedsLater, model, atUs }),
    id: branchId(memory.id, to.agent),
    ...(memory.supersededBy && former.has(memory.supersededBy)
      ? { supersededBy: branchId(memory.supersededBy, to.agent) }
      : {}),
    scope: {
      project: to.project || memory.scope.project,
      agentType: to.agentType || memory.scope.agentType,
      agent: to.agent,
      session: memory.scope.session,
    },
  }));
  const stored = store(changes, { namespace, memories, createNamespace: false, onConflict: 'keep', atUs });
  return { copiedCount: stored.memories.filter(({ written }) => written).length, revision: changes.log.revision };
}

interface Renewal {
  readonly embedsLater: boolean;
  /** Model of the namespace's vectors. */
  readonly model: string;
  readonly atUs: Micros;
}

/** Restores the vector bit for bit. A vector of another model is computed again where the server has an embedder. */
function newMemory(memory: AgentState, { embedsLater, model, atUs }: Renewal): NewMemory {
  const { namespace: _, revision: __, embedding, isVectorless, ...fields } = memory;
  const kept = embedding?.model === model ? { embedding } : {};
  return {
    ...fields,
    ...kept,
    updatedAtUs: atUs,
    embeddingPending: !kept.embedding && !isVectorless && embedsLater && memory.text !== '',
  };
}
