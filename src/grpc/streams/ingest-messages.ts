import { hash } from 'node:crypto';
import {
  type IngestAcknowledgement,
  IngestBatch,
  type IngestMemoriesRequest,
  type IngestResult,
  type IngestStart,
} from '../../../gen/ts/mneme/v1/ingest_service.ts';
import { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import { derivedId } from '../../memory/derived-id.ts';
import { MnemeError } from '../../memory/errors.ts';
import type { MemoryDraft } from '../../memory/memory-draft.ts';
import type { StoreRequest } from '../../operations/memories/store-memories.ts';
import { turns } from '../../operations/memories/turns.ts';
import type { IngestBatch as Batch, IngestedBatch, ItemOutcome } from '../../operations/streams/ingest-memories.ts';
import type { Detour } from '../../storage/tier-store.ts';
import { encode } from '../edge/codec.ts';
import { RequestChecks } from '../edge/request-checks.ts';
import { MEMORY_ID } from '../edge/resource-names.ts';
import { failureOf, statusOf } from '../edge/status.ts';
import { CONFLICT_POLICIES } from '../memories/conflict-policies.ts';
import { draftOf } from '../memories/draft-messages.ts';
import { degradedMessages, receiptMessage } from '../memories/receipt-messages.ts';
import { unfitVectorNamed } from '../memories/unfit-vector.ts';

export const INGEST_BATCH_MAX = 256;
const STREAM_ID = /^[A-Za-z0-9._~:-]{1,64}$/;

/** What a stream said when it began. */
export interface IngestStream {
  readonly namespace: string;
  readonly streamId: string;
  readonly acknowledgedSequence: number;
  readonly onConflict: StoreRequest['onConflict'];
  readonly refusalsOnly: boolean;
}

export function ingestStreamOf({ message }: IngestMemoriesRequest): IngestStream {
  const checks = new RequestChecks();
  if (message?.$case !== 'start') checks.add('message', 'must be start in the first message of a stream');
  checks.finish();
  const start: Partial<IngestStart> = message?.$case === 'start' ? message.value : {};
  const { parent = '', streamId = '', acknowledgedSequence = 0, conflictPolicy = 0, refusalsOnly = false } = start;
  const stream = {
    namespace: checks.namespace('start.parent', parent),
    streamId: checks.matching('start.stream_id', streamId, STREAM_ID, '1 to 64 of [A-Za-z0-9._~:-]'),
    acknowledgedSequence: checks.within('start.acknowledged_sequence', acknowledgedSequence, 0, SEQUENCE_MAX),
    onConflict: checks.choice('start.conflict_policy', conflictPolicy, CONFLICT_POLICIES),
    refusalsOnly,
  };
  checks.finish();
  return stream;
}
/** Leaves room for the items of a batch. */
const SEQUENCE_MAX = Number.MAX_SAFE_INTEGER - INGEST_BATCH_MAX;

/** Fails when it is not the batch that must come now. An item that cannot be stored is refused in it, by its place. */
export async function ingestBatchOf(
  stream: IngestStream,
  message: IngestBatch,
  nextSequence: number,
): Promise<Batch & { readonly bytes: number }> {
  const { firstSequence, items } = message;
  const checks = new RequestChecks();
  if (firstSequence !== nextSequence)
    checks.add('batch.first_sequence', `must be ${nextSequence}, got ${firstSequence}`);
  if (items.length < 1 || items.length > INGEST_BATCH_MAX) {
    checks.add('batch.items', `must be 1 to ${INGEST_BATCH_MAX}, got ${items.length}`);
  }
  checks.finish();
  const { namespace, streamId, onConflict } = stream;
  const memories: MemoryDraft[] = [];
  const refused = new Map<number, unknown>();
  const ids = new Set<string>();
  for (const [at, { memory, memoryId }] of items.entries()) {
    await turns.wait();
    const id = memoryId || derivedId(`${streamId}:${firstSequence + at}`);
    try {
      memories.push(itemDraft(namespace, `items[${at}]`, memory, id, ids));
    } catch (error) {
      refused.set(at, error);
    }
  }
  const bytes = encode(IngestBatch, message);
  const fingerprint = hash('sha256', Buffer.concat([Buffer.from(onConflict), bytes]), 'hex');
  return {
    firstSequence,
    itemCount: items.length,
    refused,
    request: { namespace, memories, onConflict },
    // Request ids of callers have no control characters: none of them is ever this one. A batch that is cut otherwise is
    // another one: a process that goes on for one that died does not know how that one had cut them.
    idempotency: { requestId: `\u0001ingest:${streamId}:${firstSequence}+${items.length}`, fingerprint },
    bytes: bytes.length + OUTCOME_BYTES * items.length,
  };
}

function itemDraft(namespace: string, item: string, memory: Memory | undefined, id: string, ids: Set<string>) {
  const checks = new RequestChecks();
  checks.matching(`${item}.memory_id`, id, MEMORY_ID, '1 to 128 of [A-Za-z0-9._~:-]');
  if (ids.has(id)) checks.add(`${item}.memory_id`, `must be another than those before in the batch, got ${id}`);
  ids.add(id);
  const field = `${item}.memory`;
  const draft = draftOf({ checks, field, namespace, memory: memory ?? Memory.create() }, id);
  checks.finish();
  return draft;
}

/** What becomes of an item, above all why it was refused, is kept until the caller has read it: of the smallest too. */
const OUTCOME_BYTES = 512;

/** Counts what became of items, and tells of it. */
export class IngestCounts {
  private storedCount = 0;
  private existingCount = 0;
  private refusedCount = 0;
  private readonly stream: IngestStream;
  private readonly newCallId: () => string;

  constructor(stream: IngestStream, newCallId: () => string) {
    this.stream = stream;
    this.newCallId = newCallId;
  }

  acknowledgement(batches: readonly IngestedBatch[]): IngestAcknowledgement {
    let [acknowledgedSequence, revision] = [0, 0];
    const results: IngestResult[] = [];
    let detour: Detour | undefined;
    for (const { firstSequence, outcomes } of batches) {
      for (const [at, outcome] of outcomes.entries()) {
        acknowledgedSequence = firstSequence + at;
        if ('revision' in outcome) revision = Math.max(revision, outcome.revision);
        this.count(outcome);
        if ('detour' in outcome) detour = outcome.detour;
        if (!this.stream.refusalsOnly || 'error' in outcome) results.push(this.resultOf(firstSequence, at, outcome));
      }
    }
    const { storedCount, existingCount, refusedCount } = this;
    const degraded = degradedMessages(detour);
    const counts = { storedCount, existingCount, refusedCount };
    return { acknowledgedSequence, results, revision: BigInt(revision), ...counts, degraded };
  }

  private count(outcome: ItemOutcome): void {
    if ('error' in outcome) this.refusedCount++;
    else if (outcome.receipt.written) this.storedCount++;
    else this.existingCount++;
  }

  private resultOf(firstSequence: number, at: number, outcome: ItemOutcome): IngestResult {
    const sequence = firstSequence + at;
    if ('receipt' in outcome) {
      const { receipt } = outcome;
      const value = receiptMessage(this.stream.namespace, receipt);
      return { sequence, outcome: { $case: 'memory', value }, existing: !receipt.written };
    }
    const error = unfitVectorNamed(outcome.error, `items[${at}].memory.embedding`);
    const callId = error instanceof MnemeError ? '' : this.newCallId();
    return { sequence, outcome: { $case: 'error', value: statusOf(failureOf(error, callId)) }, existing: false };
  }
}
