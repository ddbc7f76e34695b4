import { checkRevision } from '../../../memory/check-revision.ts';
import { memoryNotFound } from '../../../memory/errors.ts';
import { checkWritable } from '../../../memory/scope.ts';
import { changedMemory } from '../../changed-memory.ts';
import { nextEmbeddingState } from '../../embedding-state.ts';
import type { UpdateWrite, WriteOutcome } from '../../memory-store.ts';
import { readPolicies } from '../agents/policy-rows.ts';
import { changeMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { currentRow, readWholeRow } from '../memory-rows.ts';
import { memoryFromRow, stateOf } from '../rows.ts';
import { storeSuccessor } from './store.ts';

export function update(changes: Changes, write: UpdateWrite): WriteOutcome {
  const namespace = changes.namespace(write.namespace);
  const { id, atUs, successor } = write;
  const current = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  const row = current && readWholeRow(changes.database, current.pk);
  if (!row || (row.expires_at_us !== null && row.expires_at_us <= atUs)) throw memoryNotFound(namespace.name, id);
  checkRevision(`namespaces/${namespace.name}/memories/${id}`, write.expectedRevision, row.revision);
  const before = memoryFromRow(namespace.name, row);
  const policies = readPolicies(changes.database, namespace.key);
  checkWritable(policies, before.scope);
  const after = { ...changedMemory(before, write.changes), updatedAtUs: atUs };
  checkWritable(policies, after.scope);
  if (successor) checkWritable(policies, successor.scope);
  const stored = successor ? [storeSuccessor(changes, namespace, successor, atUs)] : [];
  const state = stateOf(row.embedding_state);
  const { dropsFormer = false } = write;
  const change = { pk: row.pk, before, after, state, vector: write.changes, dropsFormer, atUs };
  const revision = changeMemory(changes, namespace, change);
  const { createdAtUs, checksum } = after;
  const embeddingPending = nextEmbeddingState(state, write.changes) === 'pending';
  return { revision, memories: [...stored, { id, revision, createdAtUs, checksum, embeddingPending, written: true }] };
}
