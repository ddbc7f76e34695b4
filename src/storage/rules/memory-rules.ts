import { checkRevision, MnemeError, memoryNotFound } from '../../memory/errors.ts';
import type { Memory, Micros } from '../../memory/memory.ts';
import { changedMemory, compactionOfReplacement, hasEqualFields } from '../changed-memory.ts';
import { type EmbeddingState, type VectorWrite, vectorOfReplacement } from '../embedding-state.ts';
import type { DeleteOutcome, DeleteWrite, NewMemory, Receipt, StoreWrite, UpdateWrite } from '../records.ts';
import type { MoveWrite, TierStep } from '../tiers.ts';

/*
 * The effect of writes on one memory. Rules fail as the contract of the write says.
 */

/** What the rules read of an entry of a draft. */
interface Loaded {
  readonly memory: Memory;
  readonly state: EmbeddingState;
  /** Its bytes are damaged: `memory` lacks them. */
  readonly isDamaged?: boolean;
}

/** The memory after the write, without its revision and vector, and the vector part of the write. */
export interface MemoryChange {
  readonly after: Memory;
  readonly vector: VectorWrite;
  /** The former state is not kept. */
  readonly dropsFormer: boolean;
}

type Expiring = { readonly expiresAtUs?: Micros };

export function isExpired({ expiresAtUs }: Expiring, nowUs: Micros): boolean {
  return expiresAtUs !== undefined && expiresAtUs <= nowUs;
}

/** Whether a store keeps the existing memory of the id, whatever its fields. Fails with MEMORY_EXISTS. */
export function keepsTaken(namespace: string, id: string, onConflict: StoreWrite['onConflict']): boolean {
  if (onConflict !== 'fail') return onConflict === 'keep';
  const name = `namespaces/${namespace}/memories/${id}`;
  throw new MnemeError('MEMORY_EXISTS', `${name} already exists`, { metadata: { name } });
}

/** Fails with VERSION_MISMATCH where an existing memory has another revision than the write expects. */
export function checkExpected(
  { namespace, expectedRevisions, atUs }: Pick<StoreWrite, 'namespace' | 'expectedRevisions' | 'atUs'>,
  id: string,
  found: (Expiring & { readonly revision: number }) | undefined,
): void {
  const expected = expectedRevisions && Object.hasOwn(expectedRevisions, id) ? expectedRevisions[id] : undefined;
  const actual = found && !isExpired(found, atUs) ? found.revision : 0;
  checkRevision(`namespaces/${namespace}/memories/${id}`, expected, actual);
}

/** The change when a store replaces a memory; `undefined` where the fields are equal, and it is kept. */
export function replacementOf(
  { memory: before, state, isDamaged = false }: Loaded,
  replacement: NewMemory,
  { replacesEqual = false }: Pick<StoreWrite, 'replacesEqual'> = {},
): MemoryChange | undefined {
  if (!isDamaged && !replacesEqual && hasEqualFields(before, replacement)) return undefined;
  const { embedding: _, embeddingPending: __, ...fields } = replacement;
  const { namespace, tier, revision } = before;
  return {
    after: { ...fields, namespace, tier, revision, ...compactionOfReplacement(before, replacement) },
    vector: vectorOfReplacement(state, before.checksum !== replacement.checksum, replacement),
    // A damaged state cannot be kept as a former state.
    dropsFormer: isDamaged,
  };
}

/** The change by an update. Fails with VERSION_MISMATCH. */
export function updateOf(
  before: Memory,
  { changes, expectedRevision, dropsFormer = false, atUs }: UpdateWrite,
): MemoryChange {
  checkRevision(`namespaces/${before.namespace}/memories/${before.id}`, expectedRevision, before.revision);
  return { after: { ...changedMemory(before, changes), updatedAtUs: atUs }, vector: changes, dropsFormer };
}

/** Whether a delete erases the memory. Fails with MEMORY_NOT_FOUND and VERSION_MISMATCH. */
export function isErased(
  id: string,
  found: Memory | undefined,
  { namespace, cause, mustExist, onlyIn, expectedRevision, atUs }: DeleteWrite,
): found is Memory {
  const hasExpired = found !== undefined && isExpired(found, atUs);
  if (mustExist && (!found || hasExpired)) throw memoryNotFound(namespace, id);
  // An expired memory may have got a later expiry since it was found.
  if (!found || (cause === 'expired' && !hasExpired) || (onlyIn && found.tier !== onlyIn)) return false;
  checkRevision(`namespaces/${namespace}/memories/${id}`, expectedRevision, found.revision);
  return true;
}

export function deleteOutcome(revision: number, erased: readonly Memory[]): DeleteOutcome {
  const byTier = Map.groupBy(erased, ({ tier }) => tier);
  return {
    revision,
    deletedIds: erased.map(({ id }) => id),
    tiers: [...byTier].map(([tier, all]) => [tier, all.length]),
  };
}

/** The step of a memory in a move, or `undefined`. */
export function stepOf(
  found: (Expiring & Pick<Memory, 'tier'>) | undefined,
  { from, to, atUs }: Pick<MoveWrite, 'from' | 'to' | 'atUs'>,
): TierStep | undefined {
  if (!found || isExpired(found, atUs) || found.tier === to || (from && !from.includes(found.tier))) return undefined;
  return { from: found.tier, to };
}

/** To be called after storing, when the number of new memories is known: a failed write is rolled back as a whole. */
export function checkMemoryLimit(namespace: string, limit: number, count: number): void {
  if (limit === 0 || count <= limit) return;
  const name = `namespaces/${namespace}`;
  throw new MnemeError('NAMESPACE_FULL', `${name} has reached its limit of ${limit} memories`, {
    metadata: { name, limit: String(limit) },
  });
}

export function receiptOf({ memory, state }: Loaded, written: boolean): Receipt {
  const { id, revision, createdAtUs, checksum } = memory;
  return { id, revision, createdAtUs, checksum, embeddingPending: state === 'pending', written };
}
