import type { Call, Idempotency } from '../../../memory/call.ts';
import { type ErrorReason, MnemeError } from '../../../memory/errors.ts';
import type { Receipt, StoreWrite } from '../../../storage/records.ts';
import { checkExpiry, hasExpiry } from '../memories/check-expiry.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { type StoreRequest, storedOutcome, storeWriteOf } from '../memories/store-memories.ts';
import { withTimesKept } from '../memories/transfer-memories.ts';

/** A batch of a stream: valid items, and items that are already refused. */
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

export type ItemOutcome = { readonly receipt: Receipt; readonly revision: number } | { readonly error: unknown };

export interface IngestedBatch {
  readonly firstSequence: number;
  /** One for each item, in order. */
  readonly outcomes: readonly ItemOutcome[];
}

/** Reasons for which an item is refused; any other failure ends the stream. */
const ITEM_REASONS: ReadonlySet<ErrorReason> = new Set([
  'FIELD_INVALID',
  'DIMENSION_MISMATCH',
  'MODEL_MISMATCH',
  'MEMORY_EXISTS',
  'NAMESPACE_FULL',
  'QUOTA_EXCEEDED',
]);

/**
 * Submits a batch to the store; resolves as soon as its order is fixed, with a promise of the result. Consecutive
 * batches are stored in order. Repeating an identical batch has no further effect.
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
  const expired = await expiredItems(deps, batch, write);
  return { done: storedBatch(deps, batch, write, expired) };
}

type Refusals = ReadonlyMap<number, ItemOutcome>;

/** Memories of the write that would have expired in it, by their place; none of a batch that is repeated. */
async function expiredItems(deps: MemoryDeps, batch: IngestBatch, write: StoreWrite): Promise<Refusals> {
  const expired = new Map<number, ItemOutcome>();
  const { namespace, memories, atUs } = write;
  if (!memories.some((memory) => hasExpiry(memory, atUs))) return expired;
  if ((await deps.store.outcomeOf(namespace, batch.idempotency)) !== undefined) return expired;
  const places = Array.from({ length: batch.itemCount }, (_, place) => place).filter((at) => !batch.refused.has(at));
  for (const [at, memory] of memories.entries()) {
    const call = { idempotency: idempotencyAlone(batch, at) };
    try {
      await checkExpiry(deps, { namespace, memories: [memory] }, call, () => `items[${places[at]}].memory`);
    } catch (error) {
      if (!isOfItem(error)) throw error;
      expired.set(at, { error });
    }
  }
  return expired;
}

function idempotencyAlone({ idempotency: { requestId, fingerprint } }: IngestBatch, at: number): Idempotency {
  return { requestId: `${requestId}+${at}`, fingerprint };
}

/** The whole batch in one write or, where an item fails, each item in its own write. */
async function storedBatch(
  deps: MemoryDeps,
  batch: IngestBatch,
  write: StoreWrite,
  expired: Refusals,
): Promise<IngestedBatch> {
  const alone = async (at: number) => expired.get(at) ?? storedAlone(deps, batch, write, at);
  const eachAlone = async () => ingested(batch, await Promise.all(write.memories.map((_, at) => alone(at))));
  if (expired.size > 0) return eachAlone();
  try {
    const { memories, ...rest } = await storedOutcome(deps, { ...write, idempotency: batch.idempotency });
    return ingested(
      batch,
      memories.map((receipt) => ({ receipt, ...rest })),
    );
  } catch (error) {
    if (!isOfItem(error)) throw error;
  }
  return eachAlone();
}

async function storedAlone(deps: MemoryDeps, batch: IngestBatch, write: StoreWrite, at: number): Promise<ItemOutcome> {
  const memories = write.memories.slice(at, at + 1);
  try {
    const alone = { ...write, memories, idempotency: idempotencyAlone(batch, at) };
    const { memories: receipts, ...rest } = await storedOutcome(deps, alone);
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

/** Merges items refused at once with the stored ones. */
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
