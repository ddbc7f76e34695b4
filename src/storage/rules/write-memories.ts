import type { Memory, Micros } from '../../memory/memory.ts';
import { isFull } from '../../memory/resolution/resolution.ts';
import { idsOfStore } from '../changed-memory.ts';
import { nextEmbeddingState } from '../embedding-state.ts';
import type {
  DeleteOutcome,
  DeleteWrite,
  LateVector,
  NewMemory,
  Receipt,
  StoreWrite,
  UpdateWrite,
  WriteOutcome,
} from '../records.ts';
import type { MoveOutcome, MoveWrite, TierStep } from '../tiers.ts';
import type { Draft, Entry } from './draft.ts';
import {
  checkExpected,
  deleteOutcome,
  isErased,
  isExpired,
  keepsTaken,
  type MemoryChange,
  receiptOf,
  replacementOf,
  stepOf,
  updateOf,
} from './memory-rules.ts';

export function storeMemories(draft: Draft, write: StoreWrite): WriteOutcome {
  if (write.expectedRevisions) {
    for (const id of idsOfStore(write)) checkExpected(write, id, draft.entries.get(id)?.memory);
  }
  const { namespace, erasedIds = [], atUs } = write;
  if (erasedIds.length > 0)
    deleteMemories(draft, { namespace, ids: erasedIds, cause: 'deleted', mustExist: false, atUs });
  const memories = write.memories.map((memory) => storeOne(draft, memory, write));
  draft.checkLimit();
  return { revision: draft.revision, memories };
}

function storeOne(
  draft: Draft,
  memory: NewMemory,
  write: Pick<StoreWrite, 'onConflict' | 'replacesEqual' | 'atUs'>,
): Receipt {
  const { atUs } = write;
  const taken = draft.entries.get(memory.id);
  // An unreadable memory has no former state to keep.
  if (taken && !taken.isUnreadable && !isExpired(taken.memory, atUs)) {
    const isKept = keepsTaken(draft.name, memory.id, write.onConflict);
    const change = isKept ? undefined : replacementOf(taken, memory, write);
    if (!change) return receiptOf(taken, false);
    const { isDamaged: _, ...whole } = taken;
    return apply(draft, whole, change, atUs);
  }
  if (taken) draft.erase(memory.id, taken.isUnreadable ? 'deleted' : 'expired');
  const { embeddingPending: _, ...fields } = memory;
  if (fields.embedding) draft.admitEmbedding(fields.embedding);
  return put(draft, {
    // A second copy of the fields would be a considerable part of the cost of the rule.
    memory: Object.assign(fields, { namespace: draft.name, revision: ++draft.revision }),
    sequence: draft.nextSequence++,
    state: nextEmbeddingState('none', memory),
    attempts: 0,
    notBeforeUs: atUs,
    tierSinceUs: atUs,
    change: 'stored',
    past: [],
  });
}

export function updateMemory(draft: Draft, write: UpdateWrite): WriteOutcome {
  const { id, successor, atUs } = write;
  const entry = draft.entry(id, atUs);
  const change = updateOf(entry.memory, write);
  const stored = successor ? [storeOne(draft, successor, { onConflict: 'fail', atUs })] : [];
  const receipt = apply(draft, entry, change, atUs);
  if (successor) draft.checkLimit();
  return { revision: draft.revision, memories: [...stored, receipt] };
}

/** Writes the state that results from a write. */
function apply(draft: Draft, entry: Entry, { after, vector, dropsFormer }: MemoryChange, atUs: Micros): Receipt {
  if (vector.embedding) draft.admitEmbedding(vector.embedding);
  const state = nextEmbeddingState(entry.state, vector);
  const { embedding: formerVector, ...former } = entry.memory;
  const { embedding: _, ...rest } = after;
  const embedding = state === 'there' ? (vector.embedding ?? formerVector) : undefined;
  const memory = { ...rest, revision: ++draft.revision, embedding };
  const queue = vector.embeddingPending && state === 'pending' ? { attempts: 0, notBeforeUs: atUs } : {};
  // Former states before the changed one stay.
  const past = dropsFormer ? entry.past : [{ memory: former, change: entry.change }, ...entry.past];
  return put(draft, { ...entry, ...queue, memory, state, change: 'updated', past });
}

export function deleteMemories(draft: Draft, write: DeleteWrite): DeleteOutcome {
  const erased: Memory[] = [];
  for (const id of write.ids) {
    const found = draft.entries.get(id)?.memory;
    if (!isErased(id, found, write)) continue;
    draft.erase(id, write.cause);
    erased.push(found);
  }
  return deleteOutcome(draft.revision, erased);
}

function put(draft: Draft, entry: Entry): Receipt {
  draft.entries.set(entry.memory.id, entry);
  return receiptOf(entry, true);
}

/** Counts a retrieval of each existing, undamaged memory. */
export function touchMemories(draft: Draft, ids: readonly string[], atUs: Micros): { revision: number } {
  for (const id of new Set(ids)) {
    const entry = draft.find(id, atUs);
    if (!entry || entry.isDamaged) continue;
    const { memory, tierSinceUs } = entry;
    const counts = { retrievalCount: memory.retrievalCount + 1, lastAccessedAtUs: atUs };
    // Its time in the tier starts again.
    const sinceUs = Math.max(tierSinceUs, atUs);
    draft.entries.set(id, { ...entry, tierSinceUs: sinceUs, memory: { ...memory, ...counts } });
    draft.revision++;
  }
  return { revision: draft.revision };
}

/** Stores pending vectors of present texts; damaged memories get none. */
export function embedLater(draft: Draft, vectors: readonly LateVector[]): { revision: number } {
  for (const vector of vectors) {
    const { id, embedding } = vector;
    const entry = draft.entries.get(id);
    if (entry?.state !== 'pending' || entry.isDamaged || entry.memory.checksum !== vector.checksum) continue;
    if (!embedding) {
      draft.entries.set(id, { ...entry, state: 'none' });
      continue;
    }
    draft.admitEmbedding(embedding);
    draft.entries.set(id, { ...entry, state: 'there', memory: { ...entry.memory, embedding } });
    draft.revision++;
  }
  return { revision: draft.revision };
}

/** Moves memories to another tier; damaged memories stay. */
export function moveMemories(draft: Draft, write: MoveWrite): MoveOutcome {
  const { resolution, atUs } = write;
  const moved: (TierStep & { id: string })[] = [];
  const damagedIds: string[] = [];
  for (const id of write.ids) {
    const entry = draft.entries.get(id);
    const step = stepOf(entry?.memory, write);
    if (!entry || !step) continue;
    if (entry.isDamaged) {
      damagedIds.push(id);
      continue;
    }
    const { resolution: _, ...rest } = entry;
    const memory = { ...entry.memory, tier: step.to };
    draft.entries.set(id, { ...rest, tierSinceUs: atUs, memory, ...(!isFull(resolution) && { resolution }) });
    draft.revision++;
    moved.push({ id, ...step });
  }
  return { revision: draft.revision, moved, damagedIds };
}
