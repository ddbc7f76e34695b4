import { checkRevision } from '../../../memory/check-revision.ts';
import { MnemeError, memoryNotFound } from '../../../memory/errors.ts';
import type { Scope, Tier } from '../../../memory/memory.ts';
import { checkWritable } from '../../../memory/scope.ts';
import { changedMemory, compactionOfReplacement, hasEqualFields } from '../../changed-memory.ts';
import { nextEmbeddingState, vectorOfReplacement } from '../../embedding-state.ts';
import type {
  DeleteOutcome,
  DeleteWrite,
  NewMemory,
  Receipt,
  StoreWrite,
  UpdateWrite,
  WriteOutcome,
} from '../../memory-store.ts';
import { readPolicies } from '../agents/policy-rows.ts';
import { changeMemory, eraseMemory, insertMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { currentRow, readWholeRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { memoryFromRow, memoryOrRest, stateOf, tierOf } from '../rows.ts';
import { insertNamespace } from './create-namespace.ts';

export function store(changes: Changes, write: StoreWrite): WriteOutcome {
  changes.log.revision = Math.max(changes.log.revision, write.revisionFloor ?? 0);
  const namespace = writableNamespace(changes, write);
  const policies = readPolicies(changes.database, namespace.key);
  if (policies.length > 0) for (const { scope } of write.memories) checkWritable(policies, scope);
  let sequence = changes.takeSequences(namespace, write.memories.length);
  const memories = write.memories.map((memory) => storeOne(changes, namespace, sequence++, memory, write));
  if (namespace.memory_limit > 0) checkLimit(changes, namespace);
  return { revision: changes.log.revision, memories, ...(write.detour && { detour: write.detour }) };
}

/** A memory that is stored with another change of the namespace, whose scope may be written to. Its id must be free. */
function storeSuccessor(changes: Changes, namespace: NamespaceRow, memory: NewMemory, atUs: number): Receipt {
  const sequence = changes.takeSequences(namespace, 1);
  const receipt = storeOne(changes, namespace, sequence, memory, { onConflict: 'fail', atUs });
  if (namespace.memory_limit > 0) checkLimit(changes, namespace);
  return receipt;
}

function writableNamespace(changes: Changes, { namespace: name, createNamespace, atUs }: StoreWrite): NamespaceRow {
  if (!createNamespace || changes.findNamespace(name)) return changes.namespace(name);
  return insertNamespace(changes, { name, description: '', memoryLimit: 0, atUs });
}

function storeOne(
  changes: Changes,
  namespace: NamespaceRow,
  sequence: number,
  memory: NewMemory,
  { onConflict, atUs }: Pick<StoreWrite, 'onConflict' | 'atUs'>,
): Receipt {
  const taken = currentRow(changes.database).get({ namespace_key: namespace.key, id: memory.id });
  if (taken && (taken.expires_at_us === null || taken.expires_at_us > atUs)) {
    if (onConflict === 'fail') throw memoryExists(namespace.name, memory.id);
    return onConflict === 'keep'
      ? receiptOfKept(changes, namespace.name, taken.pk)
      : replace(changes, namespace, taken.pk, memory, atUs);
  }
  if (taken) {
    eraseMemory(changes, namespace.key, taken.pk);
    changes.log.append('expired', { namespaceKey: namespace.key, pk: taken.pk, id: memory.id, atUs });
  }
  const revision = insertMemory(changes, namespace, sequence, memory, atUs);
  const { id, createdAtUs, checksum, embeddingPending } = memory;
  return {
    id,
    revision,
    createdAtUs,
    checksum,
    embeddingPending: embeddingPending && !memory.embedding,
    written: true,
  };
}

function replace(changes: Changes, namespace: NamespaceRow, pk: number, memory: NewMemory, atUs: number): Receipt {
  const row = readWholeRow(changes.database, pk);
  if (!row) throw new Error(`memory ${pk} has a row but no body`);
  const { memory: before, isDamaged } = memoryOrRest(namespace.name, row);
  checkWritable(readPolicies(changes.database, namespace.key), before.scope);
  if (!isDamaged && hasEqualFields(before, memory)) return receiptOfKept(changes, namespace.name, pk);
  const { embedding: _, embeddingPending: __, ...fields } = memory;
  const state = stateOf(row.embedding_state);
  const vector = vectorOfReplacement(state, before.checksum !== memory.checksum, memory);
  const kept = { tier: before.tier, namespace: namespace.name, revision: before.revision };
  const after = { ...fields, ...kept, ...compactionOfReplacement(before, memory) };
  const revision = changeMemory(changes, namespace, { pk, before, after, state, vector, dropsFormer: isDamaged, atUs });
  return { ...receiptOfKept(changes, namespace.name, pk), revision, written: true };
}

function receiptOfKept(changes: Changes, namespace: string, pk: number): Receipt {
  const row = readWholeRow(changes.database, pk);
  if (!row) throw new Error(`memory ${pk} has a row but no body`);
  const { id, revision, createdAtUs, checksum } = memoryOrRest(namespace, row).memory;
  return {
    id,
    revision,
    createdAtUs,
    checksum,
    embeddingPending: stateOf(row.embedding_state) === 'pending',
    written: false,
  };
}

/** Checked after storing, where it is certain how many were new: a failing command is undone as a whole. */
function checkLimit(changes: Changes, namespace: NamespaceRow): void {
  const limit = namespace.memory_limit;
  if (changes.counts.of(namespace.key) <= limit) return;
  const name = `namespaces/${namespace.name}`;
  throw new MnemeError('NAMESPACE_FULL', `${name} has reached its limit of ${limit} memories`, {
    metadata: { name, limit: String(limit) },
  });
}

function memoryExists(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/memories/${id}`;
  return new MnemeError('MEMORY_EXISTS', `${name} is there already`, { metadata: { name } });
}

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

export function deleteMemories(changes: Changes, write: DeleteWrite): DeleteOutcome {
  const namespace = changes.namespace(write.namespace);
  const { cause, atUs, mustExist, expectedRevision, onlyIn } = write;
  const policies = cause === 'expired' ? [] : readPolicies(changes.database, namespace.key);
  const deletedIds: string[] = [];
  const tiers = new Map<Tier, number>();
  for (const id of write.ids) {
    const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
    const isExpired = row !== undefined && row.expires_at_us !== null && row.expires_at_us <= atUs;
    if (mustExist && (!row || isExpired)) throw memoryNotFound(namespace.name, id);
    // One that is to go because it expired may have got a later time since it was found.
    if (!row || (cause === 'expired' && !isExpired)) continue;
    if (onlyIn && tierOf(row.tier) !== onlyIn) continue;
    checkRevision(`namespaces/${namespace.name}/memories/${id}`, expectedRevision, row.revision);
    if (policies.length > 0) checkWritable(policies, scopeAt(changes, row.pk));
    eraseMemory(changes, namespace.key, row.pk);
    changes.log.append(cause, { namespaceKey: namespace.key, pk: row.pk, id, atUs });
    deletedIds.push(id);
    const tier = tierOf(row.tier);
    tiers.set(tier, (tiers.get(tier) ?? 0) + 1);
  }
  return { revision: changes.log.revision, deletedIds, tiers: [...tiers] };
}

function scopeAt(changes: Changes, pk: number): Scope {
  const row = readWholeRow(changes.database, pk);
  if (!row) throw new Error(`memory ${pk} has a row but no body`);
  return memoryOrRest(row.namespace, row).memory.scope;
}
