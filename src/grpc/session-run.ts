import { SessionResult } from '../../gen/ts/mneme/v1/recall_service.ts';
import type { Call } from '../memory/call.ts';
import { invalidFields, MnemeError } from '../memory/errors.ts';
import { draining, type OpenStreams } from '../operations/open-streams.ts';
import type { Edge } from './edge.ts';
import type { Operation } from './handler.ts';
import { namingMalformed } from './naming-malformed.ts';
import { Outbox } from './outbox.ts';
import { RequestChecks } from './request-checks.ts';
import { ServedCall } from './served-call.ts';
import { correlationIdOf, operationOf, packed, resultOf, type SessionMessage } from './session-messages.ts';
import { sendable } from './sized-messages.ts';
import { failureOf, statusOf } from './status.ts';
import { durationOf } from './time-messages.ts';

export interface SessionLimits {
  readonly maxSessionOperations: number;
  readonly heartbeatIntervalMs: number;
}

/** What a session carries out, by the name of its field in SessionOperation. */
export type Operations = ReadonlyMap<string, Operation>;

const SESSION_OPERATION = 'mneme.v1.SessionOperation';
const OPERATIONS_PER_MESSAGE = 64;
const TIMEOUT_DAYS_MAX = 1;

type SessionOperation = Extract<ReturnType<typeof operationOf>, { readonly operation: unknown }>['operation'];

/** One session: operations begin as they come, as many at once as it may have, and are answered as they finish. */
export class SessionRun {
  private readonly edge: Edge;
  private readonly operations: Operations;
  private readonly limits: SessionLimits;
  private readonly streams: OpenStreams;
  private readonly outbox: Outbox<Buffer>;
  private readonly running = new Map<number, ServedCall>();
  /** Operations whose answers have not been sent yet. */
  private unsent = 0;
  private isRead = false;
  private isClosed = false;
  private isDraining = false;
  private onRoom: (() => void) | undefined;

  constructor(edge: Edge, operations: Operations, limits: SessionLimits, streams: OpenStreams) {
    this.edge = edge;
    this.operations = operations;
    this.limits = limits;
    this.streams = streams;
    this.outbox = new Outbox(limits.heartbeatIntervalMs);
  }

  async *serve(messages: AsyncIterable<SessionMessage>, stream: Call): AsyncGenerator<SessionMessage> {
    const leave = this.streams.enter(stream.caller, 'session');
    const drain = () => this.drain();
    const cancelAll = () => this.cancelAll();
    this.streams.onDrain(drain);
    stream.signal.addEventListener('abort', cancelAll);
    this.readAll(messages).catch((error: unknown) => this.outbox.fail(error));
    try {
      for await (const results of this.outbox.batches()) {
        if (results.length === 0) yield { items: [] };
        else
          for (const items of packed(results)) {
            yield { items };
            this.makeRoom(items.length);
          }
      }
    } finally {
      leave();
      this.streams.offDrain(drain);
      stream.signal.removeEventListener('abort', cancelAll);
      this.cancelAll();
    }
  }

  private async readAll(messages: AsyncIterable<SessionMessage>): Promise<void> {
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
        if (this.unsent >= this.limits.maxSessionOperations) await this.room();
        if (this.isClosed) return;
        this.unsent += 1;
        if (this.isDraining) this.refuse(correlationIdOf(read), draining());
        else if ('operation' in read) this.begin(read.operation);
        else this.refuse(read.correlationId, await namingMalformed(read.error, SESSION_OPERATION, bytes));
      }
    }
    this.isRead = true;
    if (this.unsent === 0) this.outbox.finish();
  }

  private begin(message: SessionOperation): void {
    const { correlationId } = message;
    const asked = message.operation;
    const operation = asked && this.operations.get(asked.$case);
    let timeoutMs: number | undefined;
    try {
      timeoutMs = this.checked(message, operation !== undefined);
    } catch (error) {
      this.refuse(correlationId, error);
      return;
    }
    if (!asked || !operation) return;
    const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
    const transport = { getDeadline: () => deadline, on: () => undefined };
    const kind = { isStream: false, isOperation: true };
    const served = new ServedCall(this.edge, operation.path.slice(1), transport, kind, (failure) => {
      this.running.delete(correlationId);
      this.outbox.push(resultOf(correlationId, { $case: 'error', value: statusOf(failure) }));
    });
    this.running.set(correlationId, served);
    this.carryOut(correlationId, operation, asked, served).catch(this.edge.onDefect);
  }

  private async carryOut(
    correlationId: number,
    operation: Operation,
    asked: NonNullable<SessionOperation['operation']>,
    served: ServedCall,
  ): Promise<void> {
    try {
      this.edge.admitKnown(served);
      served.checkDeadline();
      const value = await operation.answer(asked.value, served);
      if (served.isEnded) return;
      // The answer of a method stands in a result under the name of the method.
      const result = { $case: asked.$case, value } as SessionResult['result'];
      const bytes = sendable(SessionResult, { correlationId, result }, this.edge, served);
      this.running.delete(correlationId);
      this.outbox.push(bytes);
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
      checks.add('correlation_id', 'must be another than of those without an answer');
    if (!isKnown) checks.add('operation', 'must be one that this server knows');
    const timeoutUs = timeout && durationOf(checks, 'timeout', timeout, TIMEOUT_DAYS_MAX);
    checks.finish();
    return timeoutUs === undefined ? undefined : timeoutUs / 1000;
  }

  /** Answers an operation that was not begun. */
  private refuse(correlationId: number, error: unknown): void {
    const failure = failureOf(error, this.edge.newCallId());
    this.outbox.push(resultOf(correlationId, { $case: 'error', value: statusOf(failure) }));
  }

  private cancel(correlationId: number): void {
    this.running.get(correlationId)?.fail(new MnemeError('CANCELLED', 'the caller cancelled the operation'));
  }

  private cancelAll(): void {
    this.isClosed = true;
    this.outbox.finish();
    for (const id of [...this.running.keys()]) this.cancel(id);
    this.onRoom?.();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => {
      this.onRoom = resolve;
    });
  }

  private makeRoom(count: number): void {
    this.unsent -= count;
    this.onRoom?.();
    if (this.unsent > 0) return;
    // In a turn of its own: a status right behind a message is lost when the connection closes meanwhile.
    if (this.isDraining) setImmediate(() => this.outbox.fail(draining()));
    else if (this.isRead) this.outbox.finish();
  }

  /** Lets what is under way be answered, and ends. */
  private drain(): void {
    this.isDraining = true;
    if (this.unsent === 0) this.outbox.fail(draining());
  }
}
