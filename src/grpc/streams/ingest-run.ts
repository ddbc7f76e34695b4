import type { IngestMemoriesRequest, IngestMemoriesResponse } from '../../../gen/ts/mneme/v1/ingest_service.ts';
import type { Call } from '../../memory/call.ts';
import { invalidFields } from '../../memory/errors.ts';
import type { MemoryDeps } from '../../operations/memories/operation-deps.ts';
import { type IngestedBatch, ingestBatch } from '../../operations/streams/ingest-memories.ts';
import { draining, type OpenStreams } from '../../operations/streams/open-streams.ts';
import { firstMessage } from '../edge/first-message.ts';
import { Outbox } from '../edge/outbox.ts';
import { INGEST_BATCH_MAX, IngestCounts, type IngestStream, ingestBatchOf, ingestStreamOf } from './ingest-messages.ts';

export interface IngestLimits {
  readonly maxIngestBytesInFlight: number;
  readonly heartbeatIntervalMs: number;
  readonly maxStreamStallMs: number;
}

export interface IngestDeps extends MemoryDeps {
  readonly streams: OpenStreams;
}

interface Settled extends IngestedBatch {
  readonly bytes: number;
}

/** One stream: batches are given to the store as they come and acknowledged in order as they are on disk. */
export class IngestRun {
  private readonly deps: IngestDeps;
  private readonly limits: IngestLimits;
  private readonly call: Call;
  private readonly outbox: Outbox<Settled>;
  /** Of batches that are not acknowledged yet. */
  private bytesInFlight = 0;
  private onRoom: (() => void) | undefined;
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
    // A caller who says nothing at all has nothing stored.
    if (!first) return;
    const stream = ingestStreamOf(first);
    yield { message: { $case: 'started', value: this.started() } };
    const counts = new IngestCounts(stream, () => this.call.callId);
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
          this.makeRoom(some);
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
      await this.room(batch.bytes);
      if (this.isClosed || this.isDraining) return;
      this.bytesInFlight += batch.bytes;
      const { done } = await ingestBatch(this.deps, batch, this.call);
      this.settle(done, batch.bytes);
    }
    await this.settled;
    this.outbox.finish();
  }

  /** In order: a batch that is on disk waits for those before it. The first that fails ends the stream. */
  private settle(done: Promise<IngestedBatch>, bytes: number): void {
    const settled = Promise.all([done, this.settled]).then(([batch]) => this.outbox.push({ ...batch, bytes }));
    settled.catch((error: unknown) => this.outbox.fail(error));
    this.settled = settled;
  }

  private async room(bytes: number): Promise<void> {
    while (
      this.bytesInFlight > 0 &&
      this.bytesInFlight + bytes > this.limits.maxIngestBytesInFlight &&
      !this.isClosed
    ) {
      await new Promise<void>((resolve) => {
        this.onRoom = resolve;
      });
    }
  }

  private makeRoom(batches: readonly Settled[]): void {
    for (const { bytes } of batches) this.bytesInFlight -= bytes;
    this.onRoom?.();
  }

  /** Lets what was taken be acknowledged, and ends. */
  private drain(): void {
    this.isDraining = true;
    // In a turn of its own: a status right behind a message is lost when the connection closes meanwhile.
    const end = () => setImmediate(() => this.outbox.fail(draining()));
    this.settled.then(end, end);
  }

  private close(): void {
    this.isClosed = true;
    this.outbox.finish();
    this.onRoom?.();
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
