import { checkRevision } from '../../memory/check-revision.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { Content, Memory, Micros, Tier } from '../../memory/memory.ts';
import { changedMemory, compactionOfReplacement, hasEqualFields } from '../changed-memory.ts';
import { nextEmbeddingState, type VectorWrite, vectorOfReplacement } from '../embedding-state.ts';
import type {
  DeleteOutcome,
  DeleteWrite,
  LateVector,
  NewMemory,
  Receipt,
  StoreWrite,
  UpdateWrite,
  WriteOutcome,
} from '../memory-store.ts';
import { type Draft, type Entry, isExpired } from './draft.ts';

export function storeMemories(draft: Draft, write: StoreWrite): WriteOutcome {
  draft.revision = Math.max(draft.revision, write.revisionFloor ?? 0);
  const memories = write.memories.map((memory) => storeOne(draft, memory, write));
  draft.checkLimit();
  return { revision: draft.revision, memories, ...(write.detour && { detour: write.detour }) };
}

function storeOne(
  draft: Draft,
  memory: NewMemory,
  { onConflict, atUs }: Pick<StoreWrite, 'onConflict' | 'atUs'>,
): Receipt {
  const taken = draft.entries.get(memory.id);
  // Of one of which nothing can be read there is nothing left to keep.
  if (taken && !taken.isUnreadable && !isExpired(taken.memory, atUs)) {
    if (onConflict === 'fail') throw memoryExists(draft.name, memory.id);
    const isKept = onConflict === 'keep' || (!taken.isDamaged && hasEqualFields(taken.memory, memory));
    return isKept ? receiptOf(taken, false) : replace(draft, taken, memory, atUs);
  }
  if (taken) draft.erase(memory.id, taken.isUnreadable ? 'deleted' : 'expired');
  const { embeddingPending: _, ...fields } = memory;
  if (fields.embedding) draft.admitEmbedding(fields.embedding);
  return put(draft, {
    memory: withOwnBytes({ ...fields, namespace: draft.name, revision: ++draft.revision }),
    sequence: draft.nextSequence++,
    state: nextEmbeddingState('none', memory),
    attempts: 0,
    notBeforeUs: atUs,
    tierSinceUs: atUs,
    change: 'stored',
    past: [],
  });
}

function replace(draft: Draft, entry: Entry, memory: NewMemory, atUs: Micros): Receipt {
  const { embedding: _, embeddingPending: __, ...fields } = memory;
  const { tier, revision } = entry.memory;
  const lost = compactionOfReplacement(entry.memory, memory);
  const after = { ...fields, tier, namespace: draft.name, revision, ...lost };
  const isOtherText = entry.memory.checksum !== memory.checksum;
  const { isDamaged, ...whole } = entry;
  const receipt = change(draft, whole, after, vectorOfReplacement(entry.state, isOtherText, memory), atUs);
  if (isDamaged) dropFormer(draft, memory.id, entry);
  return receipt;
}

export function updateMemory(
  draft: Draft,
  { id, changes, expectedRevision, dropsFormer, successor, atUs }: UpdateWrite,
): WriteOutcome {
  const entry = draft.entry(id, atUs);
  checkRevision(`namespaces/${draft.name}/memories/${id}`, expectedRevision, entry.memory.revision);
  const stored = successor ? [storeOne(draft, successor, { onConflict: 'fail', atUs })] : [];
  const after = { ...changedMemory(entry.memory, changes), updatedAtUs: atUs };
  const receipt = change(draft, entry, after, changes, atUs);
  if (dropsFormer) dropFormer(draft, id, entry);
  if (successor) draft.checkLimit();
  return { revision: draft.revision, memories: [...stored, receipt] };
}

function change(draft: Draft, entry: Entry, after: Memory, vector: VectorWrite, atUs: Micros): Receipt {
  if (vector.embedding) draft.admitEmbedding(vector.embedding);
  const state = nextEmbeddingState(entry.state, vector);
  const { embedding: formerVector, ...former } = entry.memory;
  const { embedding: _, ...rest } = after;
  const embedding = state === 'there' ? (vector.embedding ?? formerVector) : undefined;
  const memory = withOwnBytes({ ...rest, revision: ++draft.revision, ...(embedding && { embedding }) });
  const queue = vector.embeddingPending && state === 'pending' ? { attempts: 0, notBeforeUs: atUs } : {};
  const past = [{ memory: former, change: entry.change }, ...entry.past];
  return put(draft, { ...entry, ...queue, memory, state, change: 'updated', past });
}

export function deleteMemories(draft: Draft, write: DeleteWrite): DeleteOutcome {
  const { cause, atUs, mustExist, expectedRevision, onlyIn } = write;
  const deletedIds: string[] = [];
  const tiers = new Map<Tier, number>();
  for (const id of write.ids) {
    const entry = mustExist ? draft.entry(id, atUs) : draft.entries.get(id);
    if (!entry || (cause === 'expired' && !isExpired(entry.memory, atUs))) continue;
    if (onlyIn && entry.memory.tier !== onlyIn) continue;
    checkRevision(`namespaces/${draft.name}/memories/${id}`, expectedRevision, entry.memory.revision);
    draft.erase(id, cause);
    deletedIds.push(id);
    tiers.set(entry.memory.tier, (tiers.get(entry.memory.tier) ?? 0) + 1);
  }
  return { revision: draft.revision, deletedIds, tiers: [...tiers] };
}

/** The states before the one that was changed stay. */
function dropFormer(draft: Draft, id: string, { past }: Entry): void {
  const entry = draft.entries.get(id);
  if (entry) draft.entries.set(id, { ...entry, past });
}

function put(draft: Draft, entry: Entry): Receipt {
  draft.entries.set(entry.memory.id, entry);
  return receiptOf(entry, true);
}

function receiptOf({ memory, state }: Entry, written: boolean): Receipt {
  const { id, revision, createdAtUs, checksum } = memory;
  return { id, revision, createdAtUs, checksum, embeddingPending: state === 'pending', written };
}

/** The caller may use its buffers for something else. */
function withOwnBytes(memory: Memory): Memory {
  const content: Content | undefined = memory.content && {
    ...memory.content,
    data: Uint8Array.from(memory.content.data),
  };
  const embedding = memory.embedding && { ...memory.embedding, values: Float32Array.from(memory.embedding.values) };
  return { ...memory, ...(content && { content }), ...(embedding && { embedding }) };
}

function memoryExists(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/memories/${id}`;
  return new MnemeError('MEMORY_EXISTS', `${name} is there already`, { metadata: { name } });
}

/** Counts a retrieval of each memory that is there, and not damaged. */
export function touchMemories(draft: Draft, ids: readonly string[], atUs: Micros): { revision: number } {
  for (const id of ids) {
    const entry = draft.find(id, atUs);
    if (!entry || entry.isDamaged) continue;
    const retrievalCount = entry.memory.retrievalCount + 1;
    const memory = { ...entry.memory, retrievalCount, lastAccessedAtUs: atUs };
    draft.entries.set(id, { ...entry, memory, tierSinceUs: Math.max(entry.tierSinceUs, atUs) });
    draft.revision++;
  }
  return { revision: draft.revision };
}

/** Gives memories that wait for their vectors these; those that do not wait, are damaged or have another text by now get none. */
export function embedLater(draft: Draft, vectors: readonly LateVector[]): { revision: number } {
  for (const { id, checksum, embedding } of vectors) {
    const entry = draft.entries.get(id);
    if (entry?.state !== 'pending' || entry.isDamaged || entry.memory.checksum !== checksum) continue;
    if (!embedding) {
      draft.entries.set(id, { ...entry, state: 'none' });
      continue;
    }
    draft.admitEmbedding(embedding);
    const copy = { ...embedding, values: Float32Array.from(embedding.values) };
    draft.entries.set(id, { ...entry, state: 'there', memory: { ...entry.memory, embedding: copy } });
    draft.revision++;
  }
  return { revision: draft.revision };
}
