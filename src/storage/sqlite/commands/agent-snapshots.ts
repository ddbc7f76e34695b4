import type { AgentForked, AgentRestored, AgentSnapshot, AgentSnapshots } from '../../agent-snapshots.ts';
import { branchedMemories, snapshotExists } from '../../rules/agent-states.ts';
import { forkAgent as forkStates, restoreAgent as restoreStates } from '../../rules/rewrite-agent.ts';
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
import { loadWhole } from '../load-memories.ts';
import { writeByDraft } from '../write-draft.ts';

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

export function restoreAgent(changes: Changes, write: Write<'restore'>): AgentRestored {
  const { row, snapshot, former } = find(changes, write);
  const present = presentStates(changes.database, row.key, snapshot.scope, write.atUs);
  return writeByDraft(changes, row, {
    ids: [...former.keys(), ...present.keys()],
    load: loadWhole,
    atUs: write.atUs,
    run: (draft) => restoreStates(draft, { snapshot, former, present }, write),
  });
}

export function forkAgent(changes: Changes, write: Write<'fork'>): AgentForked {
  const { row, snapshot, former } = find(changes, write);
  const memories = branchedMemories(snapshot, former, write.to, { ...write, model: row.embedding_model });
  return writeByDraft(changes, row, {
    ids: memories.map(({ id }) => id),
    load: loadWhole,
    atUs: write.atUs,
    run: (draft) => forkStates(draft, memories, write),
  });
}

/** A snapshot with the memories of its agent then. */
function find(changes: Changes, { namespace, id, atUs }: Write<'drop'>) {
  const row = changes.namespace(namespace);
  const snapshot = findSnapshot(changes.database, row.key, id);
  return { row, snapshot, former: statesOfSnapshot(changes.database, row.key, snapshot, namespace, atUs) };
}
