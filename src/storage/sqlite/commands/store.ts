import { memoryDamaged, memoryNotFound } from '../../../memory/errors.ts';
import type { Tier } from '../../../memory/memory.ts';
import { checkWritable } from '../../../memory/scope.ts';
import { idsOfStore } from '../../changed-memory.ts';
import { nextEmbeddingState } from '../../embedding-state.ts';
import type {
  DeleteOutcome,
  DeleteWrite,
  NewMemory,
  Receipt,
  StoreWrite,
  UpdateWrite,
  WriteOutcome,
} from '../../memory-store.ts';
import {
  checkExpected,
  checkMemoryLimit,
  deleteOutcome,
  isErased,
  isExpired,
  keepsTaken,
  type Loaded,
  type MemoryChange,
  receiptOf,
  replacementOf,
  updateOf,
} from '../../rules/memory-rules.ts';
import { readPolicies } from '../agents/policy-rows.ts';
import { changeMemory, eraseMemory, insertMemory } from '../change-memory.ts';
import type { Changes } from '../changes.ts';
import { currentRow, readWholeRow } from '../memory-rows.ts';
import type { NamespaceRow } from '../namespace-rows.ts';
import { memoryOrRest, stateOf, tierOf } from '../rows.ts';
import { insertNamespace } from './create-namespace.ts';

export function store(changes: Changes, write: StoreWrite): WriteOutcome {
  const namespace = writableNamespace(changes, write);
  const policies = readPolicies(changes.database, namespace.key);
  if (policies.length > 0) for (const { scope } of write.memories) checkWritable(policies, scope);
  checkAllExpected(changes, namespace, write);
  const { erasedIds: ids = [], atUs } = write;
  deleteMemories(changes, { namespace: namespace.name, ids, cause: 'deleted', mustExist: false, atUs });
  let sequence = changes.takeSequences(namespace, write.memories.length);
  const memories = write.memories.map((memory) => storeOne(changes, namespace, sequence++, memory, write));
  checkLimit(changes, namespace);
  return { revision: changes.log.revision, memories };
}

function checkAllExpected(changes: Changes, { key }: NamespaceRow, write: StoreWrite): void {
  if (!write.expectedRevisions) return;
  for (const id of idsOfStore(write)) {
    const row = currentRow(changes.database).get({ namespace_key: key, id });
    checkExpected(write, id, row && heldIn(row));
  }
}

/** Stores a memory as part of another change of the namespace; the scope is already checked. Its id must be unused. */
function storeSuccessor(
  changes: Changes,
  namespace: NamespaceRow,
  memory: NewMemory,
  write: Pick<UpdateWrite, 'atUs'>,
): Receipt {
  const sequence = changes.takeSequences(namespace, 1);
  const receipt = storeOne(changes, namespace, sequence, memory, { ...write, onConflict: 'fail' });
  checkLimit(changes, namespace);
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
  write: Pick<StoreWrite, 'onConflict' | 'replacesEqual' | 'atUs'>,
): Receipt {
  const { onConflict, atUs } = write;
  const taken = currentRow(changes.database).get({ namespace_key: namespace.key, id: memory.id });
  if (taken && !isExpired(heldIn(taken), atUs)) {
    const isKept = keepsTaken(namespace.name, memory.id, onConflict);
    const loaded = load(changes, namespace, taken.pk);
    return isKept
      ? receiptOf(loaded.memory, loaded.state, false)
      : replace(changes, namespace, { pk: taken.pk, loaded, memory, write });
  }
  if (taken) {
    eraseMemory(changes, namespace.key, taken.pk);
    changes.log.append('expired', { namespaceKey: namespace.key, pk: taken.pk, id: memory.id, atUs });
  }
  const revision = insertMemory(changes, namespace, sequence, memory, atUs);
  const { id, createdAtUs, checksum } = memory;
  return receiptOf({ id, revision, createdAtUs, checksum }, nextEmbeddingState('none', memory), true);
}

type Replacing = Pick<StoreWrite, 'replacesEqual' | 'atUs'>;

function replace(
  changes: Changes,
  namespace: NamespaceRow,
  { pk, loaded, memory, write }: { pk: number; loaded: Loaded; memory: NewMemory; write: Replacing },
): Receipt {
  checkWritable(readPolicies(changes.database, namespace.key), loaded.memory.scope);
  const change = replacementOf(loaded, memory, write);
  if (!change) return receiptOf(loaded.memory, loaded.state, false);
  return apply(changes, namespace, { pk, loaded, change, atUs: write.atUs });
}

export function update(changes: Changes, write: UpdateWrite): WriteOutcome {
  const namespace = changes.namespace(write.namespace);
  const { id, atUs, successor } = write;
  const current = currentRow(changes.database).get({ namespace_key: namespace.key, id });
  if (!current || isExpired(heldIn(current), atUs)) throw memoryNotFound(namespace.name, id);
  const loaded = load(changes, namespace, current.pk);
  const change = updateOf(loaded.memory, write);
  if (loaded.isDamaged) throw memoryDamaged(namespace.name, id);
  const policies = readPolicies(changes.database, namespace.key);
  checkWritable(policies, loaded.memory.scope);
  checkWritable(policies, change.after.scope);
  if (successor) checkWritable(policies, successor.scope);
  const stored = successor ? [storeSuccessor(changes, namespace, successor, write)] : [];
  const receipt = apply(changes, namespace, { pk: current.pk, loaded, change, atUs });
  return { revision: receipt.revision, memories: [...stored, receipt] };
}

/** Writes the state that results from a write. */
function apply(
  changes: Changes,
  namespace: NamespaceRow,
  { pk, loaded, change, atUs }: { pk: number; loaded: Loaded; change: MemoryChange; atUs: number },
): Receipt {
  const { memory: before, state } = loaded;
  const revision = changeMemory(changes, namespace, { pk, before, state, ...change, atUs });
  const { id, createdAtUs, checksum } = change.after;
  return receiptOf({ id, revision, createdAtUs, checksum }, nextEmbeddingState(state, change.vector), true);
}

export function deleteMemories(changes: Changes, write: DeleteWrite): DeleteOutcome {
  const namespace = changes.namespace(write.namespace);
  const { cause, atUs } = write;
  const policies = cause === 'expired' ? [] : readPolicies(changes.database, namespace.key);
  const erased: { id: string; tier: Tier }[] = [];
  for (const id of write.ids) {
    const row = currentRow(changes.database).get({ namespace_key: namespace.key, id });
    const found = row && { pk: row.pk, ...heldIn(row) };
    if (!isErased(id, found, write)) continue;
    if (policies.length > 0) checkWritable(policies, load(changes, namespace, found.pk).memory.scope);
    eraseMemory(changes, namespace.key, found.pk);
    changes.log.append(cause, { namespaceKey: namespace.key, pk: found.pk, id, atUs });
    erased.push({ id, tier: found.tier });
  }
  return deleteOutcome(changes.log.revision, erased);
}

function load(changes: Changes, namespace: NamespaceRow, pk: number): Loaded {
  const row = readWholeRow(changes.database, pk);
  if (!row) throw new Error(`memory ${pk} has no row`);
  return { ...memoryOrRest(namespace.name, row), state: stateOf(row.embedding_state) };
}

/** Columns by which a write selects a memory. */
function heldIn(row: { readonly tier: number; readonly expires_at_us: number | null; readonly revision: number }) {
  return { tier: tierOf(row.tier), expiresAtUs: row.expires_at_us ?? undefined, revision: row.revision };
}

function checkLimit(changes: Changes, { name, key, memory_limit }: NamespaceRow): void {
  if (memory_limit > 0) checkMemoryLimit(name, memory_limit, changes.counts.of(key));
}
