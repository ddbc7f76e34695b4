import type { PipelineOperation, PipelineResult } from '../../../../gen/ts/mneme/v1/pipeline_service.ts';
import { refuseBrokenTexts } from '../broken-texts.ts';
import { cancelledBy, closedError } from '../call-error.ts';
import type { Caller, Connection, Method } from '../connection.ts';
import { type ErrorFamily, familyOf } from '../error-families.ts';
import { errorOfRpcStatus } from '../error-of-status.ts';
import { CancelledError, DeadlineExceededError, type MnemeError, UnavailableError } from '../errors.ts';
import type { CallOptions, ReadOptions } from '../options.ts';
import { durationOfMs } from '../precise-date.ts';
import { Backoff } from './backoff.ts';
import { isBroken, retryDelayMsOf } from './is-broken.ts';
import { PipelineStream } from './pipeline-stream.ts';

/** As often as a separate call. */
const ATTEMPTS_MAX = 4;

interface Asked {
  readonly family: ErrorFamily;
  readonly operation: PipelineOperation;
  readonly settle: (result: PipelineResult['result']) => void;
  readonly fail: (error: unknown) => void;
  attempts: number;
  /** Where it was asked for last; absent while it waits to be asked for again. */
  stream?: PipelineStream | undefined;
}

/**
 * Makes calls over one stream. It is opened for the first of them, and again when it breaks while some are unanswered:
 * those are repeated, which is safe because every mutation carries a request id.
 */
export class PipelineCaller implements Caller {
  readonly recallTimeoutMs: number;
  private readonly connection: Connection;
  private readonly signal: AbortSignal | undefined;
  private readonly asked = new Map<number, Asked>();
  private readonly backoff: Backoff;
  private stream: PipelineStream | undefined;
  private lastId = 0;
  private isClosed = false;
  private closed: (() => void) | undefined;

  constructor(connection: Connection, signal: AbortSignal | undefined) {
    this.connection = connection;
    this.signal = signal;
    this.recallTimeoutMs = connection.recallTimeoutMs;
    this.backoff = new Backoff(connection.timing);
  }

  unary<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    { timeoutMs = this.connection.timeoutMs, signal }: CallOptions = {},
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      const cancelled = [signal, this.signal].find((each) => each?.aborted);
      if (cancelled) throw cancelledBy(cancelled);
      if (this.isClosed) throw new CancelledError('CANCELLED', 'the session is closed');
      refuseBrokenTexts(request);
      const family = familyOf(method.path);
      const correlationId = ++this.lastId;
      // A method's request is the field of the operation with the method's name.
      const operation = { $case: fieldOf(method.path), value: request } as PipelineOperation['operation'];
      const timeout = Number.isFinite(timeoutMs) ? durationOfMs(timeoutMs) : undefined;
      const finished = this.connection.finishing(method, () => fail(closedError(family)));
      const end = () => {
        finished();
        cancelTimer();
        signal?.removeEventListener('abort', abort);
        this.asked.delete(correlationId);
        if (this.isClosed && this.asked.size === 0) this.closed?.();
      };
      const fail = (error: unknown) => {
        end();
        reject(error);
      };
      const giveUp = (error: unknown) => {
        this.stream?.ask({ correlationId, timeout: undefined, operation: { $case: 'cancel', value: {} } });
        fail(error);
      };
      const abort = () => giveUp(cancelledBy(signal as AbortSignal, family));
      const late = () =>
        giveUp(new DeadlineExceededError('DEADLINE_EXCEEDED', 'the answer did not come in time', { family }));
      const cancelTimer = Number.isFinite(timeoutMs) ? this.connection.timing.setTimer(late, timeoutMs) : () => {};
      signal?.addEventListener('abort', abort, { once: true });
      const settle = (result: PipelineResult['result']) => {
        end();
        // The answer to an operation is under the same name.
        if (result) resolve(result.value as Response);
      };
      this.ask({ family, operation: { correlationId, timeout, operation }, settle, fail, attempts: 0 });
    });
  }

  seen(revision: bigint): number {
    return this.connection.seen(revision);
  }

  minRevision(options?: ReadOptions): bigint {
    return this.connection.minRevision(options);
  }

  /** Refuses more, and resolves when all that was asked for is answered. */
  async close(): Promise<void> {
    this.isClosed = true;
    if (this.asked.size > 0) {
      await new Promise<void>((resolve) => {
        this.closed = resolve;
      });
    }
    this.stream?.end();
  }

  private ask(asked: Asked): void {
    asked.attempts += 1;
    this.asked.set(asked.operation.correlationId, asked);
    this.stream ??= this.open();
    asked.stream = this.stream;
    this.stream.ask(asked.operation);
  }

  private open(): PipelineStream {
    const stream: PipelineStream = new PipelineStream(
      this.connection,
      this.signal,
      (result) => this.answered(result),
      (error) => void this.ended(stream, error),
    );
    return stream;
  }

  private answered({ correlationId, result }: PipelineResult): void {
    const asked = this.asked.get(correlationId);
    if (!asked) return;
    this.backoff.reset();
    if (result?.$case !== 'error') {
      asked.settle(result);
      return;
    }
    const error = errorOfRpcStatus(result.value, asked.family);
    const mayRepeat = this.connection.retries && error instanceof UnavailableError && asked.attempts < ATTEMPTS_MAX;
    if (mayRepeat) void this.repeat(asked, error);
    else asked.fail(error);
  }

  private async repeat(asked: Asked, error: MnemeError): Promise<void> {
    asked.stream = undefined;
    await new Backoff(this.connection.timing).wait(error.retryDelayMs, this.signal);
    if (this.asked.has(asked.operation.correlationId)) this.ask(asked);
  }

  /** Unanswered calls are repeated over another stream, unless the session ended for good. */
  private async ended(stream: PipelineStream, error: unknown): Promise<void> {
    if (this.stream === stream) this.stream = undefined;
    const unanswered = [...this.asked.values()].filter((asked) => asked.stream === stream);
    if (unanswered.length === 0) return;
    const mayGoOn = this.connection.retries && isBroken(error, this.signal);
    for (const asked of unanswered) asked.stream = undefined;
    if (mayGoOn) await this.backoff.wait(retryDelayMsOf(error), this.signal);
    for (const asked of unanswered) {
      if (!this.asked.has(asked.operation.correlationId)) continue;
      if (mayGoOn && !this.signal?.aborted) this.ask(asked);
      else asked.fail(this.signal?.aborted ? cancelledBy(this.signal) : error);
    }
  }
}

/** `/mneme.v1.MemoryService/BatchStoreMemories` is `batchStoreMemories` in PipelineOperation. */
function fieldOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.charAt(0).toLowerCase() + name.slice(1);
}
