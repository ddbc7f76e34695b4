import { hash } from 'node:crypto';
import {
  type IngestAcknowledgement,
  IngestBatch,
  IngestMemoriesRequest,
  IngestMemoriesResponse,
  type IngestResult,
  type IngestStart,
  IngestServiceService as Service,
} from '../../../../gen/ts/mneme/v1/ingest_service.ts';
import { Memory } from '../../../../gen/ts/mneme/v1/memory.ts';
import type { Call } from '../../../memory/call.ts';
import { derivedId } from '../../../memory/derived-id.ts';
import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import type { MemoryDraft } from '../../../memory/memory.ts';
import { accessOf } from '../../../memory/principal.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import type { StoreRequest } from '../../operations/memories/store-memories.ts';
import {
  type IngestBatch as Batch,
  type IngestedBatch,
  type ItemOutcome,
  ingestBatch,
} from '../../operations/streams/ingest-memories.ts';
import { draining, type OpenStreams } from '../../operations/streams/open-streams.ts';
import { turns } from '../../operations/turns.ts';
import { encode } from '../edge/codec.ts';
import { bidi, type Route } from '../edge/handler.ts';
import { MEMORY_ID, RequestChecks } from '../edge/request-checks.ts';
import { failureOf, statusOf } from '../edge/status.ts';
import { firstMessage, Outbox } from '../edge/stream-messages.ts';
import { CONFLICT_POLICIES, draftOf, unfitVectorNamed } from '../memories/draft-messages.ts';
import { receiptMessage } from '../memories/memory-messages.ts';

/** `proto/mneme/v1/ingest_service.proto`. */
export function ingestService(deps: IngestDeps, limits: IngestLimits): Route[] {
  return [
    bidi(Service.ingestMemories, IngestMemoriesRequest, IngestMemoriesResponse, (messages, call) =>
      new IngestRun(deps, limits, call).serve(messages),
    ),
  ];
}

interface IngestLimits {
  readonly maxIngestBytesInFlight: number;
  readonly heartbeatIntervalMs: number;
  readonly maxStreamStallMs: number;
}

interface IngestDeps extends MemoryDeps {
  readonly streams: OpenStreams;
}

interface Settled extends IngestedBatch {
  readonly bytes: number;
}

/** One stream: batches are submitted to the store as they arrive and acknowledged in order once they are on disk. */
class IngestRun {
  private readonly deps: IngestDeps;
  private readonly limits: IngestLimits;
  private readonly call: Call;
  private readonly outbox: Outbox<Settled>;
  /** Of batches that are not acknowledged yet. */
  private bytesInFlight = 0;
  private onCapacity: (() => void) | undefined;
  /** Settles when all batches so far have been put into the outbox. */
  private settled: Promise<void> = Promise.resolve();
  private isClosed = false;
  private isDraining = false;

  constructor(deps: IngestDeps, limits: IngestLimits, call: Call) {
    this.deps = deps;
    this.limits = limits;
    this.call = call;
    this.outbox = new Outbox(limits.heartbeatIntervalMs);
  }

  async *serve(messages: AsyncIterable<IngestMemoriesRequest>): AsyncGenerator<IngestMemoriesResponse> {
    const source = messages[Symbol.asyncIterator]();
    const { streams } = this.deps;
    const first = await firstMessage(source, 'ingest', { ...this.limits, streams }, this.call);
    // A stream without messages stores nothing.
    if (!first) return;
    const stream = ingestStreamOf(first);
    yield { message: { $case: 'started', value: this.started() } };
    const counts = new IngestCounts(stream, this.call);
    const leave = streams.enter(this.call.caller, 'ingest');
    const drain = () => this.drain();
    const close = () => this.close();
    streams.onDrain(drain);
    if (streams.isDraining) drain();
    this.call.signal.addEventListener('abort', close);
    this.readAll(stream, source).catch((error: unknown) => this.outbox.fail(error));
    try {
      for await (const batches of this.outbox.batches()) {
        if (batches.length === 0) yield { message: { $case: 'heartbeat', value: {} } };
        for (const some of sparing(batches)) {
          yield { message: { $case: 'acknowledgement', value: counts.acknowledgement(some) } };
          this.release(some);
        }
      }
    } finally {
      leave();
      streams.offDrain(drain);
      this.call.signal.removeEventListener('abort', close);
      this.close();
    }
  }

  private started() {
    const { maxIngestBytesInFlight, heartbeatIntervalMs } = this.limits;
    const seconds = BigInt(Math.floor(heartbeatIntervalMs / 1000));
    return {
      maxBatchSize: INGEST_BATCH_MAX,
      maxBytesInFlight: maxIngestBytesInFlight,
      heartbeatInterval: { seconds, nanos: (heartbeatIntervalMs % 1000) * 1_000_000 },
    };
  }

  private async readAll(stream: IngestStream, source: AsyncIterator<IngestMemoriesRequest>): Promise<void> {
    let nextSequence = stream.acknowledgedSequence + 1;
    for (;;) {
      const next = await source.next();
      if (next.done) break;
      const { message } = next.value;
      if (message?.$case === 'heartbeat') continue;
      if (message?.$case !== 'batch') {
        throw invalidFields([{ field: 'message', description: 'must be a batch or a heartbeat after the first one' }]);
      }
      const batch = await ingestBatchOf(stream, message.value, nextSequence);
      nextSequence += batch.itemCount;
      await this.capacityFor(batch.bytes);
      if (this.isClosed || this.isDraining) return;
      this.bytesInFlight += batch.bytes;
      const { done } = await ingestBatch(this.deps, batch, this.call);
      this.settle(done, batch.bytes);
    }
    await this.settled;
    this.outbox.finish();
  }

  /** In order: a stored batch waits for the preceding ones. The first failure ends the stream. */
  private settle(done: Promise<IngestedBatch>, bytes: number): void {
    const settled = Promise.all([done, this.settled]).then(([batch]) => this.outbox.push({ ...batch, bytes }));
    settled.catch((error: unknown) => this.outbox.fail(error));
    this.settled = settled;
  }

  private async capacityFor(bytes: number): Promise<void> {
    while (
      this.bytesInFlight > 0 &&
      this.bytesInFlight + bytes > this.limits.maxIngestBytesInFlight &&
      !this.isClosed
    ) {
      await new Promise<void>((resolve) => {
        this.onCapacity = resolve;
      });
    }
  }

  private release(batches: readonly Settled[]): void {
    for (const { bytes } of batches) this.bytesInFlight -= bytes;
    this.onCapacity?.();
  }

  /** Acknowledges received batches, then ends. */
  private drain(): void {
    this.isDraining = true;
    // In a separate turn: a status directly after a message is lost when the connection closes at the same time.
    const end = () => setImmediate(() => this.outbox.fail(draining()));
    this.settled.then(end, end);
  }

  private close(): void {
    this.isClosed = true;
    this.outbox.finish();
    this.onCapacity?.();
  }
}

/** Acknowledges small batches together. */
function* sparing(batches: readonly Settled[]): Generator<Settled[]> {
  let some: Settled[] = [];
  let count = 0;
  for (const batch of batches) {
    if (count > 0 && count + batch.outcomes.length > INGEST_BATCH_MAX) {
      yield some;
      some = [];
      count = 0;
    }
    some.push(batch);
    count += batch.outcomes.length;
  }
  if (count > 0) yield some;
}

const INGEST_BATCH_MAX = 256;
const STREAM_ID = /^[A-Za-z0-9._~:-]{1,64}$/;

/** The first message of a stream. */
interface IngestStream {
  readonly namespace: string;
  readonly streamId: string;
  readonly acknowledgedSequence: number;
  readonly onConflict: StoreRequest['onConflict'];
  readonly refusalsOnly: boolean;
}

function ingestStreamOf({ message }: IngestMemoriesRequest): IngestStream {
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
/** Leaves space for the items of a batch. */
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
    // Callers' request ids have no control characters: none equals this one. A batch with other bounds is another one:
    // a process that continues for one that died does not know the bounds of its batches.
    idempotency: { requestId: `\u0001ingest:${streamId}:${firstSequence}+${items.length}`, fingerprint },
    bytes: bytes.length + OUTCOME_BYTES * items.length,
  };
}

function itemDraft(namespace: string, item: string, memory: Memory | undefined, id: string, ids: Set<string>) {
  const checks = new RequestChecks();
  checks.matching(`${item}.memory_id`, id, MEMORY_ID, '1 to 128 of [A-Za-z0-9._~:-]');
  if (ids.has(id)) checks.add(`${item}.memory_id`, `must be unique in the batch, got ${id} again`);
  ids.add(id);
  const field = `${item}.memory`;
  const draft = draftOf({ checks, field, namespace, memory: memory ?? Memory.fromPartial({}) }, id);
  checks.finish();
  return draft;
}

/**
 * The outcome of an item, in particular its error, is queued until the caller has read it: for the smallest items too.
 */
const OUTCOME_BYTES = 512;

/** Counts the outcomes of items, and reports them. */
class IngestCounts {
  private storedCount = 0;
  private existingCount = 0;
  private refusedCount = 0;
  private readonly stream: IngestStream;
  private readonly call: Call;
  /** Whether the caller may know contents of memories that were there before. */
  private readonly mayRead: boolean;

  constructor(stream: IngestStream, call: Call) {
    this.stream = stream;
    this.call = call;
    this.mayRead = accessOf(call.principal, stream.namespace, 'read') === 'whole';
  }

  acknowledgement(batches: readonly IngestedBatch[]): IngestAcknowledgement {
    let [acknowledgedSequence, revision] = [0, 0];
    const results: IngestResult[] = [];
    for (const { firstSequence, outcomes } of batches) {
      for (const [at, outcome] of outcomes.entries()) {
        acknowledgedSequence = firstSequence + at;
        if ('revision' in outcome) revision = Math.max(revision, outcome.revision);
        this.count(outcome);
        if (!this.stream.refusalsOnly || 'error' in outcome) results.push(this.resultOf(firstSequence, at, outcome));
      }
    }
    const { storedCount, existingCount, refusedCount } = this;
    return { acknowledgedSequence, results, revision: BigInt(revision), storedCount, existingCount, refusedCount };
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
      const whole = receiptMessage(this.stream.namespace, receipt);
      const value = receipt.written || this.mayRead ? whole : { ...whole, checksum: '' };
      return { sequence, outcome: { $case: 'memory', value }, existing: !receipt.written };
    }
    const error = unfitVectorNamed(outcome.error, `items[${at}].memory.embedding`);
    const callId = error instanceof MnemeError ? '' : this.call.callId;
    return { sequence, outcome: { $case: 'error', value: statusOf(failureOf(error, callId)) }, existing: false };
  }
}
