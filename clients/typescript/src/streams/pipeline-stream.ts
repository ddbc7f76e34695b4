import type { ClientDuplexStream } from '@grpc/grpc-js';
import {
  PipelineServiceService as methods,
  type PipelineOperation,
  type PipelineRequest,
  type PipelineResponse,
  type PipelineResult,
} from '../../../../gen/ts/mneme/v1/pipeline_service.ts';
import type { Connection } from '../connection.ts';
import { UnavailableError } from '../errors.ts';
import { Attempt } from './attempt.ts';
import { Sender } from './duplex.ts';

const OPERATIONS_PER_MESSAGE = 64;

/**
 * One stream of a session: calls of one turn are sent in one message. When it ends, for whatever reason, `onEnd` is
 * called once.
 */
export class PipelineStream {
  private readonly attempt: Attempt;
  private readonly outgoing: PipelineOperation[] = [];
  private sender: Sender<PipelineRequest> | undefined;
  private isScheduled = false;
  private isEnding = false;

  constructor(
    connection: Connection,
    signal: AbortSignal | undefined,
    onResult: (result: PipelineResult) => void,
    onEnd: (error: unknown) => void,
  ) {
    this.attempt = new Attempt(connection.timing, signal);
    this.run(connection, onResult).then(
      () => onEnd(new UnavailableError('UNAVAILABLE', 'the session ended')),
      (error: unknown) => onEnd(this.attempt.causeOf(error)),
    );
  }

  ask(operation: PipelineOperation): void {
    this.outgoing.push(operation);
    this.schedule();
  }

  /** Waits for outstanding answers, then ends. */
  end(): void {
    this.isEnding = true;
    this.schedule();
  }

  private async run(connection: Connection, onResult: (result: PipelineResult) => void): Promise<void> {
    let stream: ClientDuplexStream<PipelineRequest, PipelineResponse> | undefined;
    try {
      stream = await connection.duplexStream(methods.pipeline, this.attempt);
      this.sender = new Sender<PipelineRequest>(stream, connection, { operations: [] });
      this.flush();
      for await (const { results } of connection.messagesOf(methods.pipeline, stream, this.attempt.signal)) {
        this.attempt.heard();
        for (const result of results) onResult(result);
      }
    } finally {
      this.sender?.stop();
      this.attempt.stop();
      stream?.cancel();
    }
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    const { sender, outgoing } = this;
    if (!sender) return;
    while (outgoing.length > 0 && sender.isReady) {
      sender.send({ operations: outgoing.splice(0, OPERATIONS_PER_MESSAGE) });
    }
    if (outgoing.length > 0) void sender.ready?.then(() => this.flush());
    else if (this.isEnding) sender.end();
  }
}
