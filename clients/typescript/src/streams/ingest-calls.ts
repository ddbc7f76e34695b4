import { randomUUID } from 'node:crypto';
import {
  type IngestAcknowledgement,
  type IngestBatch,
  type IngestMemoriesRequest,
  IngestServiceService as methods,
} from '../../../../gen/ts/mneme/v1/ingest_service.ts';
import { refuseBrokenTexts } from '../broken-texts.ts';
import type { Connection } from '../connection.ts';
import { CONFLICT_CODES } from '../enums.ts';
import { errorOfRpcStatus } from '../error-of-status.ts';
import { UnavailableError } from '../errors.ts';
import type { NewMemory } from '../memory.ts';
import { receiptOf } from '../memory-service.ts';
import { messageOfMemory } from '../memory-to-message.ts';
import { namespaceName } from '../names.ts';
import { SendQueue } from '../send-queue.ts';
import type { Attempt } from './attempt.ts';
import { Sender } from './duplex.ts';
import { gathered } from './gathering.ts';
import { heartbeatMsOf } from './heartbeat.ts';
import type { IngestCalls, IngestOptions, IngestProgress } from './ingest-types.ts';
import { type Runs, resuming } from './resuming.ts';

/** Batches that may be on the way without an acknowledgement: enough to keep the server busy. */
const UNACKNOWLEDGED_MAX = 16;

export function ingestCalls(connection: Connection, namespace: string): IngestCalls {
  return {
    async *ingest(memories, options = {}) {
      const run = new IngestRuns(connection, namespace, memories, options);
      const { finished, signal } = connection.finishingBySignal(methods.ingestMemories, options.signal);
      try {
        yield* resuming(connection, run, { ...options, signal });
      } finally {
        finished();
        await run.queue.close();
      }
    },
  };
}

class IngestRuns implements Runs<IngestProgress> {
  /** Ends when the server has acknowledged everything: then `open` returns. */
  readonly isEndless = false;
  readonly queue: SendQueue<IngestBatch>;
  private readonly connection: Connection;
  private readonly start;
  private acknowledgedSequence: number;
  private revision = 0;
  private sourceFailure: { readonly error: unknown } | undefined;
  /** Counts of the streams before this one. */
  private total = { storedCount: 0, existingCount: 0, refusedCount: 0 };

  constructor(
    connection: Connection,
    namespace: string,
    memories: AsyncIterable<NewMemory> | Iterable<NewMemory>,
    { conflictPolicy = 'keep', streamId = randomUUID(), acknowledgedSequence = 0, receipts = false }: IngestOptions,
  ) {
    this.connection = connection;
    this.acknowledgedSequence = acknowledgedSequence;
    this.queue = new SendQueue(batchesFrom(memories, namespace, acknowledgedSequence + 1));
    this.start = {
      parent: namespaceName(namespace),
      streamId,
      conflictPolicy: CONFLICT_CODES[conflictPolicy],
      refusalsOnly: !receipts,
    };
  }

  async *open(attempt: Attempt): AsyncGenerator<IngestProgress> {
    // The source may be waiting for the messages that must be sent again.
    if (this.queue.unacknowledged.length === 0) await this.queue.ready();
    if (this.queue.isDone) return;
    const { connection, queue } = this;
    const stream = await connection.duplexStream(methods.ingestMemories, attempt);
    const heartbeat: IngestMemoriesRequest = { message: { $case: 'heartbeat', value: {} } };
    const sender = new Sender(stream, connection, heartbeat);
    const room = { wake: () => {} };
    const before = this.total;
    const sent = this.send(sender, room);
    // A failing source ends the stream with its error; an endless one does not keep a broken stream open.
    sent.catch(() => stream.cancel());
    try {
      for await (const { message } of connection.messagesOf(methods.ingestMemories, stream, attempt.signal)) {
        attempt.heard();
        if (message?.$case === 'started') attempt.expectEvery(heartbeatMsOf(message.value.heartbeatInterval));
        if (message?.$case !== 'acknowledgement') continue;
        const progress = this.progressOf(message.value, before);
        this.drop(progress.acknowledgedSequence);
        room.wake();
        yield progress;
        if (queue.isDone) return;
      }
      await sent;
    } catch (error) {
      // The stream was cancelled because the source failed: report that error.
      if (this.sourceFailure) throw this.sourceFailure.error;
      throw error;
    } finally {
      sender.stop();
      room.wake();
      stream.cancel();
    }
    if (!queue.isDone) throw new UnavailableError('UNAVAILABLE', 'the stream ended before everything was acknowledged');
  }

  private async send(sender: Sender<IngestMemoriesRequest>, room: { wake: () => void }): Promise<void> {
    const { queue } = this;
    const { acknowledgedSequence } = this;
    sender.send({ message: { $case: 'start', value: { ...this.start, acknowledgedSequence } } });
    for (const value of [...queue.unacknowledged]) {
      await sender.ready;
      sender.send({ message: { $case: 'batch', value } });
    }
    for (;;) {
      await this.sourceReady();
      await sender.ready;
      while (sender.isReady && queue.unacknowledged.length >= UNACKNOWLEDGED_MAX) {
        await new Promise<void>((resolve) => {
          room.wake = resolve;
        });
      }
      const value = sender.isReady ? queue.take() : undefined;
      if (value === undefined) break;
      sender.send({ message: { $case: 'batch', value } });
    }
    if (sender.isReady) sender.end();
  }

  private async sourceReady(): Promise<void> {
    try {
      await this.queue.ready();
    } catch (error) {
      this.sourceFailure = { error };
      throw error;
    }
  }

  private drop(acknowledgedSequence: number): void {
    const { unacknowledged } = this.queue;
    this.acknowledgedSequence = acknowledgedSequence;
    const isSettled = ({ firstSequence, items }: IngestBatch) =>
      firstSequence + items.length - 1 <= acknowledgedSequence;
    while (unacknowledged[0] && isSettled(unacknowledged[0])) unacknowledged.shift();
  }

  private progressOf(message: IngestAcknowledgement, before: typeof this.total): IngestProgress {
    const { acknowledgedSequence, results, revision } = message;
    this.revision = Math.max(this.revision, this.connection.seen(revision));
    this.total = {
      storedCount: before.storedCount + message.storedCount,
      existingCount: before.existingCount + message.existingCount,
      refusedCount: before.refusedCount + message.refusedCount,
    };
    return {
      acknowledgedSequence,
      ...this.total,
      refused: results.flatMap(({ sequence, outcome }) =>
        outcome?.$case === 'error' ? [{ sequence, error: errorOfRpcStatus(outcome.value, 'store') }] : [],
      ),
      receipts: results.flatMap(({ sequence, outcome }) =>
        outcome?.$case === 'memory' ? [{ sequence, ...receiptOf(outcome.value, this.revision) }] : [],
      ),
      revision: this.revision,
    };
  }
}

async function* batchesFrom(
  memories: AsyncIterable<NewMemory> | Iterable<NewMemory>,
  namespace: string,
  firstSequence: number,
): AsyncGenerator<IngestBatch, void, undefined> {
  let next = firstSequence;
  for await (const batch of gathered(memories)) {
    const items = batch.map((memory) => ({
      memory: { ...messageOfMemory(memory, namespace), name: '' },
      memoryId: memory.id ?? '',
    }));
    refuseBrokenTexts(items, 'memories');
    yield { firstSequence: next, items };
    next += items.length;
  }
}
