import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Change } from '../../../../gen/ts/mneme/v1/change.ts';
import {
  type ConsumeSubscriptionRequest,
  type ConsumeSubscriptionResponse,
  SubscriptionServiceService as methods,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { integerOf } from '../bad-input.ts';
import type { Connection } from '../connection.ts';
import { viewCode } from '../enums.ts';
import { OutOfRangeError } from '../errors.ts';
import type { Attempt } from './attempt.ts';
import { Sender } from './duplex.ts';
import { heartbeatMsOf } from './heartbeat.ts';
import type { Runs } from './resuming.ts';
import type { ConsumeQuery, Delivery } from './subscription-types.ts';
import { watchedChange } from './watched-change.ts';

const REVISIONS_MAX = 10_000;

export class ConsumeRuns implements Runs<Delivery> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly query: ConsumeQuery;
  private readonly name: string;
  private readonly consumer: string;
  private startRevision: bigint | undefined;
  private log = '';
  /**
   * Processed changes that may be delivered again, because the server has not confirmed their acknowledgement: instants
   * by revision, because a log that was restored to an older state assigns a revision to another change.
   */
  private readonly done = new Map<bigint, string>();
  private outgoing: bigint[] = [];
  private sender: Sender<ConsumeSubscriptionRequest> | undefined;

  constructor(connection: Connection, name: string, consumer: string, query: ConsumeQuery) {
    this.connection = connection;
    this.name = name;
    this.consumer = consumer;
    this.query = query;
    this.startRevision = integerOf(query.startRevision, 'startRevision');
  }

  async *open(attempt: Attempt): AsyncGenerator<Delivery> {
    const { connection } = this;
    const stream = await connection.duplexStream(methods.consumeSubscription, attempt);
    const sender = new Sender(stream, connection, acknowledge([]));
    this.outgoing = [];
    this.sender = sender;
    sender.send(this.start());
    const messages = connection.messagesOf(methods.consumeSubscription, stream, attempt.signal);
    let isOver = false;
    try {
      for (;;) {
        const { value: message, done } = await messages.next().catch((error: unknown) => {
          isOver = true;
          throw error;
        });
        isOver = done === true;
        if (!message) return;
        attempt.heard();
        this.note(message, attempt);
        if (message.event?.$case !== 'batch') continue;
        for (const change of message.event.value.changes) {
          if (this.done.get(change.revision) === instantOf(change)) this.send(change.revision);
          else yield this.deliveryOf(change, sender);
        }
      }
    } finally {
      if (!isOver) await this.leave(stream, sender, messages);
      sender.stop();
      await messages.return();
      stream.cancel();
    }
  }

  recover(error: unknown): boolean {
    const isCompacted = error instanceof OutOfRangeError && error.reason === 'REVISION_COMPACTED';
    if (!isCompacted || this.query.onCompacted !== 'skip') return false;
    const oldest = BigInt(error.metadata['compact_revision'] ?? 0) + 1n;
    // The log may have been compacted further in the meantime; a refusal of its oldest revision must not loop forever.
    if (this.startRevision !== undefined && oldest <= this.startRevision) return false;
    this.startRevision = oldest;
    return true;
  }

  private start(): ConsumeSubscriptionRequest {
    const value = {
      name: this.name,
      consumer: this.consumer,
      maxOutstanding: this.query.maxOutstanding ?? 0,
      heartbeatInterval: undefined,
      view: viewCode(this.query.view),
      startRevision: this.startRevision,
    };
    return { request: { $case: 'start', value } };
  }

  private note({ event, acknowledgedRevision }: ConsumeSubscriptionResponse, attempt: Attempt): void {
    if (event?.$case === 'created') {
      attempt.expectEvery(heartbeatMsOf(event.value.heartbeatInterval));
      // Another server numbers the same changes differently; a consumer that was moved back gets them again.
      if (event.value.log !== this.log || this.startRevision !== undefined) this.done.clear();
      this.log = event.value.log;
      this.startRevision = undefined;
    }
    for (const revision of this.done.keys()) if (revision <= acknowledgedRevision) this.done.delete(revision);
  }

  private deliveryOf(change: Change, sender: Sender<ConsumeSubscriptionRequest>): Delivery {
    const { log } = this;
    return {
      ...watchedChange(change),
      acknowledge: () => {
        if (log !== this.log) return;
        this.done.set(change.revision, instantOf(change));
        // A change of an earlier stream is acknowledged when it is delivered again.
        if (sender === this.sender) this.send(change.revision);
      },
    };
  }

  /** Acknowledgements of one turn are sent in one message. */
  private send(revision: bigint): void {
    if (this.outgoing.push(revision) === 1) queueMicrotask(() => this.flush());
  }

  private flush(): void {
    const { sender } = this;
    while (sender?.isReady && this.outgoing.length > 0) {
      sender.send(acknowledge(this.outgoing.splice(0, REVISIONS_MAX)));
    }
    if (this.outgoing.length > 0) void sender?.ready?.then(() => this.flush());
  }

  /** Lets the server receive the acknowledgements and end the stream itself, within the timeout of a call. */
  private async leave(
    stream: ClientDuplexStream<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse>,
    sender: Sender<ConsumeSubscriptionRequest>,
    messages: AsyncGenerator<ConsumeSubscriptionResponse>,
  ): Promise<void> {
    const { timing, timeoutMs } = this.connection;
    const cancelTimer = Number.isFinite(timeoutMs) ? timing.setTimer(() => stream.cancel(), timeoutMs) : () => {};
    try {
      this.flush();
      sender.end();
      while (!(await messages.next()).done);
    } catch {
      // Unconfirmed changes are delivered again.
    } finally {
      cancelTimer();
    }
  }
}

function instantOf({ time }: Change): string {
  return `${time?.seconds}.${time?.nanos}`;
}

function acknowledge(revisions: bigint[]): ConsumeSubscriptionRequest {
  return { request: { $case: 'acknowledge', value: { upToRevision: 0n, revisions } } };
}
