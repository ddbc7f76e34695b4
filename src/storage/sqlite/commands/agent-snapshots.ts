import type { AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../../agent-snapshots.ts';
import { branchedMemories, renewedMemory, snapshotExists } from '../../rules/agent-states.ts';
import {
  deleteKept,
  deleteSnapshot,
  findSnapshot,
  insertSnapshot,
  presentStates,
  readSnapshot,
  statesOfSnapshot,
} from '../agents/snapshot-rows.ts';
import type { Changes } from '../changes.ts';
import { deleteMemories, store, update } from './store.ts';

type Write<K extends 'take' | 'drop' | 'restore' | 'fork'> = Parameters<AgentSnapshots[K]>[0];

export function takeSnapshot(
  changes: Changes,
  { namespace, id, scope, description, atUs }: Write<'take'>,
): AgentSnapshot {
  const { key } = changes.namespace(namespace);
  if (readSnapshot(changes.database).get({ namespace_key: key, id })) throw snapshotExists(id);
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

export function restoreAgent(changes: Changes, { namespace, id, embedsLater, atUs }: Write<'restore'>): AgentRestored {
  const { key, embedding_model: model } = changes.namespace(namespace);
  const snapshot = findSnapshot(changes.database, key, id);
  const former = statesOfSnapshot(changes.database, key, snapshot, namespace, atUs);
  const present = presentStates(changes.database, key, snapshot.scope, atUs);
  const later = [...present.keys()].filter((one) => !former.has(one));
  const memories = [...former.values()].map((memory) => renewedMemory(memory, { embedsLater, model, atUs }));
  deleteMemories(changes, { namespace, ids: later, cause: 'deleted', mustExist: false, atUs });
  const restoredIds = new Set<string>();
  for (const { id: one, isVectorless } of former.values()) {
    if (!isVectorless || !present.get(one)?.embedding) continue;
    const withoutVector = { embedding: null, embeddingPending: false };
    update(changes, { namespace, id: one, changes: withoutVector, atUs });
    restoredIds.add(one);
  }
  const stored = store(changes, { namespace, memories, createNamespace: false, onConflict: 'replace', atUs });
  for (const { id: one, written } of stored.memories) if (written) restoredIds.add(one);
  return { restoredCount: restoredIds.size, erasedCount: later.length, revision: changes.log.revision };
}

export function forkAgent(changes: Changes, { namespace, id, to, embedsLater, atUs }: Write<'fork'>): AgentForked {
  const { key, embedding_model: model } = changes.namespace(namespace);
  const snapshot = findSnapshot(changes.database, key, id);
  const former = statesOfSnapshot(changes.database, key, snapshot, namespace, atUs);
  const memories = branchedMemories(snapshot, former, to, { embedsLater, model, atUs });
  const stored = store(changes, { namespace, memories, createNamespace: false, onConflict: 'keep', atUs });
  return { copiedCount: stored.memories.filter(({ written }) => written).length, revision: changes.log.revision };
}
