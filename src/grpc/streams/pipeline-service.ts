import { PipelineResult, PipelineServiceService as Service } from '../../../gen/ts/mneme/v1/pipeline_service.ts';
import type { Call } from '../../memory/call.ts';
import { invalidFields, MnemeError } from '../../memory/errors.ts';
import type { Principal } from '../../memory/principal.ts';
import { draining, type OpenStreams } from '../../operations/streams/open-streams.ts';
import { asOrigin, ownOrigin } from '../../operations/visibility/visibility.ts';
import { within } from '../../tracing/span.ts';
import type { Edge } from '../edge/edge.ts';
import { bidi, type Operation, type Route } from '../edge/handler.ts';
import { durationOf, RequestChecks } from '../edge/request-checks.ts';
import { ServedCall } from '../edge/served-call.ts';
import { namingMalformed, sendable } from '../edge/sized-messages.ts';
import { failureOf, statusOf } from '../edge/status.ts';
import { Outbox } from '../edge/stream-messages.ts';
import { correlationIdOf, operationOf, PipelineMessage, packed, resultOf } from './pipeline-messages.ts';

/** PipelineService.Pipeline over the unary methods of these routes. */
export function pipelineMethods(routes: readonly Route[], limits: PipelineLimits, streams: OpenStreams): Route[] {
  const operations = new Map(routes.flatMap(({ operation }) => (operation ? [[fieldOf(operation), operation]] : [])));
  const mount: Route = (server, edge) => {
    bidi(Service.pipeline, PipelineMessage, PipelineMessage, (messages, call) =>
      new PipelineRun(edge, operations, limits, streams).serve(messages, call),
    )(server, edge);
  };
  return [mount];
}

/** `BatchStoreMemories` is `batchStoreMemories` in PipelineOperation. */
function fieldOf({ path }: Operation): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

interface PipelineLimits extends PipelineCapacityLimits {
  readonly heartbeatIntervalMs: number;
}

/** The operations that a session executes, by the name of their field in SessionOperation. */
export type Operations = ReadonlyMap<string, Operation>;

const PIPELINE_OPERATION = 'mneme.v1.PipelineOperation';
const OPERATIONS_PER_MESSAGE = 64;
const TIMEOUT_DAYS_MAX = 1;

type Answer = (result: Buffer) => void;

interface Begun {
  readonly correlationId: number;
  readonly operation: Operation;
  readonly asked: NonNullable<SessionOperation['operation']>;
  readonly served: ServedCall;
  readonly answer: Answer;
}

type SessionOperation = Extract<ReturnType<typeof operationOf>, { readonly operation: unknown }>['operation'];

/** One session: operations begin as they come, as many at once as it may have, and are answered as they finish. */
class PipelineRun {
  private readonly edge: Edge;
  private readonly operations: Operations;
  private readonly streams: OpenStreams;
  private readonly outbox: Outbox<Buffer>;
  private readonly capacity: PipelineCapacity;
  private readonly running = new Map<number, ServedCall>();
  private isRead = false;
  private isClosed = false;
  private isDraining = false;

  constructor(edge: Edge, operations: Operations, limits: PipelineLimits, streams: OpenStreams) {
    this.edge = edge;
    this.operations = operations;
    this.capacity = new PipelineCapacity(limits);
    this.streams = streams;
    this.outbox = new Outbox(limits.heartbeatIntervalMs);
  }

  async *serve(messages: AsyncIterable<PipelineMessage>, stream: Call): AsyncGenerator<PipelineMessage> {
    const leave = this.streams.enter(stream.caller, 'pipeline');
    const drain = () => this.drain();
    const cancelAll = () => this.cancelAll();
    this.streams.onDrain(drain);
    stream.signal.addEventListener('abort', cancelAll);
    this.readAll(messages, stream).catch((error: unknown) => this.outbox.fail(error));
    try {
      for await (const results of this.outbox.batches()) {
        if (results.length === 0) yield { items: [] };
        else
          for (const items of packed(results)) {
            yield { items };
            this.release(items);
          }
      }
    } finally {
      leave();
      this.streams.offDrain(drain);
      stream.signal.removeEventListener('abort', cancelAll);
      this.cancelAll();
    }
  }

  private async readAll(messages: AsyncIterable<PipelineMessage>, stream: Call): Promise<void> {
    for await (const { items } of messages) {
      if (items.length > OPERATIONS_PER_MESSAGE) {
        const description = `must be at most ${OPERATIONS_PER_MESSAGE}, got ${items.length}`;
        throw invalidFields([{ field: 'operations', description }]);
      }
      for (const bytes of items) {
        const read = operationOf(bytes);
        if ('operation' in read && read.operation.operation?.$case === 'cancel') {
          this.cancel(read.operation.correlationId);
          continue;
        }
        if (this.capacity.isFull) await this.capacity.free();
        if (this.isClosed) return;
        this.capacity.begin(bytes.length);
        const answer = (result: Buffer) => this.answer(result, bytes.length);
        if (this.isDraining) this.refuse(correlationIdOf(read), draining(), answer);
        else if ('operation' in read) this.begin(read.operation, stream.principal, answer);
        else this.refuse(read.correlationId, await namingMalformed(read.error, PIPELINE_OPERATION, bytes), answer);
      }
    }
    this.isRead = true;
    if (this.capacity.isEmpty) this.outbox.finish();
  }

  private begin(message: SessionOperation, principal: Principal, answer: Answer): void {
    const { correlationId } = message;
    const asked = message.operation;
    const operation = asked && this.operations.get(asked.$case);
    let timeoutMs: number | undefined;
    try {
      timeoutMs = this.checked(message, operation !== undefined);
    } catch (error) {
      this.refuse(correlationId, error, answer);
      return;
    }
    if (!asked || !operation) return;
    const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
    const transport = { getDeadline: () => deadline, on: () => undefined };
    const kind = { isStream: false, isOperation: true };
    const served = new ServedCall(this.edge, operation.path.slice(1), transport, kind, (failure) => {
      this.running.delete(correlationId);
      answer(resultOf(correlationId, { $case: 'error', value: statusOf(failure) }));
    });
    served.principal = principal;
    this.running.set(correlationId, served);
    within(served.span, () => this.carryOut({ correlationId, operation, asked, served, answer })).catch(
      this.edge.onDefect,
    );
  }

  private async carryOut({ correlationId, operation, asked, served, answer }: Begun): Promise<void> {
    try {
      this.edge.admit(served);
      served.checkDeadline();
      const origin = ownOrigin();
      served.origin = origin;
      const answering = () => operation.answer(asked.value, served);
      const value = await (origin ? asOrigin(origin, answering) : answering());
      if (served.isEnded) return;
      // A result has the same field name as its operation.
      const result = { $case: asked.$case, value } as PipelineResult['result'];
      const bytes = sendable(PipelineResult, { correlationId, result }, this.edge, served);
      this.running.delete(correlationId);
      answer(bytes);
      served.succeed();
    } catch (error) {
      served.fail(error);
    }
  }

  /** The timeout asked for, if any. Fails where the operation cannot be begun. */
  private checked({ correlationId, timeout }: SessionOperation, isKnown: boolean): number | undefined {
    const checks = new RequestChecks();
    if (correlationId < 1) checks.add('correlation_id', `must be from 1 to 2^53 - 1, got ${correlationId}`);
    if (this.running.has(correlationId))
      checks.add('correlation_id', 'must differ from that of every operation without an answer');
    if (!isKnown) checks.add('operation', 'must be an operation that this server knows');
    const timeoutUs = timeout && durationOf(checks, 'timeout', timeout, TIMEOUT_DAYS_MAX);
    checks.finish();
    return timeoutUs === undefined ? undefined : timeoutUs / 1000;
  }

  /** Answers an operation that was not begun. */
  private refuse(correlationId: number | bigint, error: unknown, answer: Answer): void {
    const failure = failureOf(error, this.edge.newCallId());
    answer(resultOf(correlationId, { $case: 'error', value: statusOf(failure) }));
  }

  private answer(result: Buffer, requestBytes: number): void {
    this.capacity.answered(requestBytes, result.length);
    this.outbox.push(result);
  }

  private cancel(correlationId: number): void {
    this.running.get(correlationId)?.fail(new MnemeError('CANCELLED', 'the caller cancelled the operation'));
  }

  private cancelAll(): void {
    this.isClosed = true;
    this.outbox.finish();
    for (const id of [...this.running.keys()]) this.cancel(id);
    this.capacity.close();
  }

  private release(sent: readonly Buffer[]): void {
    this.capacity.sent(sent);
    if (!this.capacity.isEmpty) return;
    // In a separate turn: a status directly after a message is lost when the connection closes at the same time.
    if (this.isDraining) setImmediate(() => this.outbox.fail(draining()));
    else if (this.isRead) this.outbox.finish();
  }

  /** Answers running operations, then ends. */
  private drain(): void {
    this.isDraining = true;
    if (this.capacity.isEmpty) this.outbox.fail(draining());
  }
}

interface PipelineCapacityLimits {
  readonly maxPipelineOperations: number;
  readonly maxPipelineBytesInFlight: number;
}

/**
 * Minimum number of concurrent operations, however large the answers are: one waiting operation must not block all
 * others.
 */
const AT_ONCE_MIN = 16;
/** Assumed size of an answer before any was measured. The first one may be a page. */
const FIRST_ANSWER_BYTES = 1_048_576;
/** Of the largest answer seen, with each that is smaller. */
const FADE = 0.97;

/**
 * Limits of a session: operations whose answers are not sent yet, the bytes of running ones, and the bytes of answers.
 * A running operation is assumed to answer with as many bytes as the largest recent one.
 */
export class PipelineCapacity {
  private readonly limits: PipelineCapacityLimits;
  private count = 0;
  private running = 0;
  private bytes = 0;
  private largestBytes = FIRST_ANSWER_BYTES;
  private isClosed = false;
  private wake: (() => void) | undefined;

  constructor(limits: PipelineCapacityLimits) {
    this.limits = limits;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  /** Whether the next operation has to wait. Never while none is in progress. */
  get isFull(): boolean {
    const { maxPipelineOperations, maxPipelineBytesInFlight } = this.limits;
    if (this.count >= maxPipelineOperations || this.bytes >= maxPipelineBytesInFlight) return true;
    return this.running >= AT_ONCE_MIN && this.bytes + this.running * this.largestBytes >= maxPipelineBytesInFlight;
  }

  /** Resolves when another one can begin, or the session is closed. Only one may wait. */
  async free(): Promise<void> {
    while (this.isFull && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  begin(requestBytes: number): void {
    this.count += 1;
    this.running += 1;
    this.bytes += requestBytes;
  }

  answered(requestBytes: number, answerBytes: number): void {
    this.running -= 1;
    this.bytes += answerBytes - requestBytes;
    this.largestBytes = Math.max(answerBytes, this.largestBytes * FADE);
    this.wake?.();
  }

  sent(answers: readonly Buffer[]): void {
    this.count -= answers.length;
    for (const { length } of answers) this.bytes -= length;
    this.wake?.();
  }

  close(): void {
    this.isClosed = true;
    this.wake?.();
  }
}
