import type { Call } from '../../../memory/call.ts';
import { checksumOf } from '../../../memory/checksum.ts';
import type { MemoryDraft, Micros } from '../../../memory/memory.ts';
import type { NewMemory, StoreWrite, WriteOutcome } from '../../../storage/records.ts';
import { adoptStored, guardedFacts } from '../facts/guard-facts.ts';
import { turns } from '../turns.ts';
import { type VectorPlan, vectorsFor } from './embed-texts.ts';
import { type MemoryDeps, onceFor } from './operation-deps.ts';

export interface StoreRequest {
  readonly namespace: string;
  readonly memories: readonly MemoryDraft[];
  readonly onConflict: StoreWrite['onConflict'];
}

/** Stores all of the memories or none; resolves when they are on disk. */
export async function storeMemories(deps: MemoryDeps, request: StoreRequest, call: Call): Promise<WriteOutcome> {
  return storedOutcome(deps, { ...(await storeWriteOf(deps, request, call)), ...onceFor(call) });
}

/** Prepares the store's write, with vectors and times: all steps before the write itself. */
export async function storeWriteOf(deps: MemoryDeps, request: StoreRequest, call: Call): Promise<StoreWrite> {
  const { namespace, memories, onConflict } = request;
  const plans = await vectorsFor(deps, namespace, memories, () => call.signal);
  const atUs = deps.clock.nowUs();
  const stored: NewMemory[] = [];
  for (const [at, draft] of memories.entries()) {
    if (at > 0) await turns.wait();
    stored.push(newMemory(draft, plans[at] ?? { pending: false }, deps.newId, atUs));
  }
  const guarded = await guardedFacts(deps, { namespace, memories: stored, atUs });
  return { namespace, memories: guarded, createNamespace: deps.autoCreateNamespaces, onConflict, atUs };
}

/** Writes, and reports where vectors are still to be made. */
export async function storedOutcome(deps: MemoryDeps, write: StoreWrite): Promise<WriteOutcome> {
  const outcome = await deps.store.write({ kind: 'store', ...write });
  if (write.memories.some(({ embeddingPending }) => embeddingPending)) deps.onEmbeddingPending();
  await adoptStored(deps, write, outcome);
  return outcome;
}

/** The memory to be stored for a draft, with defaults for unset fields. */
export function newMemory(draft: MemoryDraft, plan: VectorPlan, newId: () => string, atUs: Micros): NewMemory {
  const { past, embedding: _, ...fields } = draft;
  const createdAtUs = past?.createdAtUs ?? atUs;
  return {
    ...fields,
    id: draft.id ?? newId(),
    eventAtUs: draft.eventAtUs ?? createdAtUs,
    createdAtUs,
    updatedAtUs: past?.updatedAtUs ?? createdAtUs,
    lastAccessedAtUs: past?.lastAccessedAtUs,
    retrievalCount: past?.retrievalCount ?? 0,
    tier: 'short_term',
    checksum: checksumOf(draft.text, draft.content),
    compaction: past?.compaction,
    embedding: plan.embedding,
    embeddingPending: plan.pending,
  };
}
