import type { Call, Idempotency } from '../../memory/call.ts';
import { type ErrorReason, MnemeError } from '../../memory/errors.ts';
import type { Receipt, StoreWrite } from '../../storage/memory-store.ts';
import type { Detour } from '../../storage/tier-store.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { type StoreRequest, storedOutcome, storeWriteOf } from '../memories/store-memories.ts';
import { withTimesKept } from '../memories/transfer-memories.ts';

/** A batch of a stream: items that can be stored, and those that are refused already. */
export interface IngestBatch {
  readonly firstSequence: number;
  readonly itemCount: number;
  /** By the place of the item in the batch. */
  readonly refused: ReadonlyMap<number, unknown>;
  /** The others, in their order; each with an id. */
  readonly request: StoreRequest;
  /** Makes the batch repeatable. */
  readonly idempotency: Idempotency;
}

export type ItemOutcome =
  | { readonly receipt: Receipt; readonly revision: number; readonly detour?: Detour }
  | { readonly error: unknown };

export interface IngestedBatch {
  readonly firstSequence: number;
  /** One for each item, in order. */
  readonly outcomes: readonly ItemOutcome[];
}

/** What an item can be refused for; everything else is no fault of the item and ends the stream. */
const ITEM_REASONS: ReadonlySet<ErrorReason> = new Set([
  'FIELD_INVALID',
  'DIMENSION_MISMATCH',
  'MODEL_MISMATCH',
  'MEMORY_EXISTS',
  'NAMESPACE_FULL',
]);

/**
 * Gives a batch to the store; resolves as soon as it has its place there, with a promise of what becomes of it. Batches
 * given one after the other are stored in their order. Sent again as it was, a batch has one effect.
 */
export async function ingestBatch(
  deps: MemoryDeps,
  batch: IngestBatch,
  call: Call,
): Promise<{ readonly done: Promise<IngestedBatch> }> {
  const { request } = batch;
  if (request.memories.length === 0) return { done: Promise.resolve(ingested(batch, [])) };
  const kept = request.onConflict === 'replace' ? await withTimesKept(deps, request) : request;
  const write = await storeWriteOf(deps, kept, call);
  return { done: storedBatch(deps, batch, write) };
}

/** The whole batch in one write or, where an item spoils it, each item in one of its own. */
async function storedBatch(deps: MemoryDeps, batch: IngestBatch, write: StoreWrite): Promise<IngestedBatch> {
  try {
    const { memories, ...rest } = await storedOutcome(deps, { ...write, idempotency: batch.idempotency });
    return ingested(
      batch,
      memories.map((receipt) => ({ receipt, ...rest })),
    );
  } catch (error) {
    if (!isOfItem(error)) throw error;
  }
  const outcomes = await Promise.all(write.memories.map((_, at) => storedAlone(deps, batch, write, at)));
  return ingested(batch, outcomes);
}

async function storedAlone(deps: MemoryDeps, batch: IngestBatch, write: StoreWrite, at: number): Promise<ItemOutcome> {
  const { requestId, fingerprint } = batch.idempotency;
  const memories = write.memories.slice(at, at + 1);
  try {
    const idempotency = { requestId: `${requestId}+${at}`, fingerprint };
    const { memories: receipts, ...rest } = await storedOutcome(deps, { ...write, memories, idempotency });
    const [receipt] = receipts;
    if (!receipt) throw new Error('a write of one memory has no receipt');
    return { receipt, ...rest };
  } catch (error) {
    if (isOfItem(error)) return { error };
    throw error;
  }
}

function isOfItem(error: unknown): boolean {
  return error instanceof MnemeError && ITEM_REASONS.has(error.reason);
}

/** Puts what was refused at once between what was stored. */
function ingested({ firstSequence, itemCount, refused }: IngestBatch, stored: readonly ItemOutcome[]): IngestedBatch {
  const rest = stored.values();
  const outcomes = Array.from({ length: itemCount }, (_, at): ItemOutcome => {
    if (refused.has(at)) return { error: refused.get(at) };
    const { value } = rest.next();
    if (!value) throw new Error('the store answered for fewer memories than were sent');
    return value;
  });
  return { firstSequence, outcomes };
}
