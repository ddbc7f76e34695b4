import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { status as Code, Metadata } from '@grpc/grpc-js';
import type { AuditSink } from '../../../memory/audit-record.ts';
import type { Call, Idempotency } from '../../../memory/call.ts';
import { type ErrorReason, MnemeError } from '../../../memory/errors.ts';
import type { Scope } from '../../../memory/memory.ts';
import { ANONYMOUS, type Principal } from '../../../memory/principal.ts';
import { activeSpan, type RemoteParent, type Span, type Tracer, within } from '../../../search/threads/span.ts';
import type { Ending } from '../../../storage/current-call.ts';
import type { Origin } from '../../operations/visibility/visibility.ts';
import { http2StreamOf } from '../upstream/reset-stream.ts';
import { auditRefusal } from './audited-methods.ts';
import { setDefaultParent } from './default-parent.ts';
import type { Edge, Seat } from './edge.ts';
import { type Failure, failureOf } from './status.ts';
import { REQUEST_ID_HEADER, type TraceContext, traceContextOf } from './trace-context.ts';

/** The part of a grpc-js call that every kind has. */
interface Transport {
  getDeadline(): Date | number;
  getPeer(): string;
  readonly metadata: Metadata;
  /** Of transports other than grpc-js. */
  readonly connection?: object;
  on(event: 'cancelled', listener: () => void): unknown;
}

/** Share of the deadline reserved for sending the answer: operations are stopped this much earlier. */
const MARGIN_SHARE = 0.1;
const MARGIN_MAX_MS = 100;

/** Statuses that indicate a problem of the server; all others are errors of callers. */
const TROUBLE: ReadonlySet<Code> = new Set([
  Code.UNKNOWN,
  Code.DEADLINE_EXCEEDED,
  Code.RESOURCE_EXHAUSTED,
  Code.INTERNAL,
  Code.UNAVAILABLE,
  Code.DATA_LOSS,
]);

/**
 * One call from its start to its status, of which it sends exactly one. Parts that few calls need (signal, id, timers)
 * are created on first use.
 */
export class ServedCall implements Call, Ending {
  readonly isStream: boolean;
  readonly deadlineAtMs: number;
  principal: Principal = ANONYMOUS;
  /** Present where the caller's scope or its grants may limit what the call sees. */
  origin: Origin | undefined;
  idempotency?: Idempotency;
  stalled?: () => Readonly<Record<string, string>>;
  /** Why it is refused as soon as it has been let in. */
  refusal: Error | undefined;
  readonly refuse = (error: Error): void => {
    this.refusal = error;
  };
  /** Absent where the call is not traced. */
  readonly span: Span | undefined;
  seat: Seat | undefined;
  private sentBytes = 0;
  private receivedBytes = 0;
  readonly traceContext: TraceContext;
  private readonly transport: Transport;
  private readonly edge: Edge;
  /** `package.Service/Method`. */
  readonly method: string;
  private readonly send: (failure: Failure) => void;
  private readonly startedAtMs = performance.now();
  private readonly endAtMs: number;
  private readonly endTimer: NodeJS.Timeout | undefined;
  private signalTimer: NodeJS.Timeout | undefined;
  private controller: AbortController | undefined;
  private stoppedWith: MnemeError | undefined;
  private stopListeners: Set<(reason: Error) => void> | undefined;
  private id: string | undefined;
  private ended = false;

  /** `send` sends a status that is not OK. */
  constructor(
    edge: Edge,
    method: string,
    transport: Transport,
    kind: { readonly isStream: boolean },
    send: (failure: Failure) => void,
  ) {
    this.transport = transport;
    this.edge = edge;
    this.method = method;
    this.isStream = kind.isStream;
    this.send = send;
    this.traceContext = traceContextOf(transport.metadata);
    const nowMs = Date.now();
    const askedAtMs = Number(transport.getDeadline());
    this.endAtMs = kind.isStream ? askedAtMs : cappedAt(askedAtMs, nowMs, edge);
    this.deadlineAtMs = this.endAtMs - Math.min(MARGIN_MAX_MS, Math.max(0, this.endAtMs - nowMs) * MARGIN_SHARE);
    // grpc-js enforces the caller's deadline itself.
    if (this.endAtMs < askedAtMs) {
      this.endTimer = setTimeout(() => this.fail(deadlineExceeded()), this.endAtMs - nowMs);
    }
    transport.on('cancelled', () => this.cancelled());
    edge.waits?.begun(transport);
    edge.meter?.callStarted(method);
    this.span = callSpan(edge.tracer, method, this.traceContext.span);
  }

  get callId(): string {
    this.id ??= this.edge.newCallId();
    return this.id;
  }

  /** The name of the call in error details: as its caller named it, otherwise the call's own. */
  get requestId(): string {
    return this.traceContext.requestId ?? this.callId;
  }

  /** Headers of the answer, with the request id that the caller sent; undefined: there are none. */
  get headers(): Metadata | undefined {
    const { requestId } = this.traceContext;
    if (requestId === undefined) return undefined;
    const headers = new Metadata();
    headers.set(REQUEST_ID_HEADER, requestId);
    return headers;
  }

  get audit(): AuditSink | undefined {
    return this.edge.audit;
  }

  get createsNamespaces(): boolean {
    return this.edge.createsNamespaces;
  }

  get connection(): object | undefined {
    return this.transport.connection ?? http2StreamOf(this.transport)?.session;
  }

  get caller(): string {
    return this.principal.credential || this.transport.getPeer().replace(/:\d+$/, '');
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.stoppedWith) this.controller.abort(this.stoppedWith);
      else if (!this.ended) this.watchDeadline();
    }
    return this.controller.signal;
  }

  get stopReason(): Error | undefined {
    return this.stoppedWith;
  }

  onStop(listener: (reason: Error) => void): void {
    this.stopListeners ??= new Set();
    this.stopListeners.add(listener);
  }

  offStop(listener: (reason: Error) => void): void {
    this.stopListeners?.delete(listener);
  }

  get isEnded(): boolean {
    return this.ended;
  }

  /**
   * Fails with PERMISSION_MISSING where the caller may not make this request, which is one of the call. A first one that names no
   * namespace gets the default.
   */
  permit<Q extends object>(request: Q, isFurther = false): Q {
    if (!isFurther) setDefaultParent(this.method, request);
    const limits = this.limitsFor(request);
    // A stream keeps the limits of its first message.
    if (limits && this.origin) this.origin.limits ??= limits;
    return request;
  }

  private limitsFor(request: object): ReadonlyMap<string, readonly Scope[]> | undefined {
    const { access, audit } = this.edge;
    try {
      return access?.check(this.method, request, this.principal, this.origin?.from);
    } catch (error) {
      if (audit) auditRefusal(audit, error, request, this);
      throw error;
    }
  }

  /** Whether the caller may read the contents in the answer to a request that `permit` has let pass. */
  mayReadAnswer(request: object): boolean {
    return this.edge.access?.coversAnswer(this.method, request, this.principal, this.origin?.limits) ?? true;
  }

  /** The caller's identity with the scopes that its credentials are limited to; absent where they are not. */
  get identityWithScopes(): string | undefined {
    const limits = this.origin?.limits;
    return limits && JSON.stringify([this.principal.identity, ...limits]);
  }

  received(bytes: number): void {
    this.receivedBytes += bytes;
    this.edge.quotas?.transferred(this.principal.identity, bytes);
  }

  sent(bytes: number): void {
    this.sentBytes += bytes;
    this.edge.quotas?.transferred(this.principal.identity, bytes);
  }

  /** Resolves when the limits of the caller allow a further message of the stream: they slow it down, and never end it. */
  async allowMessage(): Promise<void> {
    for (;;) {
      const waitMs = this.edge.quotas?.waitForMessage(this) ?? 0;
      if (waitMs === 0) return;
      await delay(Math.min(waitMs, TIMER_MAX_MS), undefined, { signal: this.signal }).catch(() => undefined);
      this.signal.throwIfAborted();
    }
  }

  /** Fails with DEADLINE_EXCEEDED when the call arrived too late to be started. */
  checkDeadline(): void {
    if (this.endAtMs <= Date.now()) throw deadlineExceeded();
  }

  /** Notes that the call has been answered in full. */
  succeed(): void {
    if (!this.ended) this.end(Code.OK);
  }

  /** Ends the call with the status of the error, if it has not ended before. */
  fail(error: unknown): void {
    if (this.ended) return;
    const failure = failureOf(error, this.callId, this.requestId);
    if (this.traceContext.requestId !== undefined) failure.metadata.set(REQUEST_ID_HEADER, this.requestId);
    this.ended = true;
    this.send(failure);
    this.end(failure.code, error);
    this.stop(error instanceof MnemeError ? error : new MnemeError('CANCELLED', 'the call has failed'));
  }

  /** grpc-js reports a cancellation for every call, when its stream is closed for whatever reason. */
  private cancelled(): void {
    if (this.ended) return;
    const isLate = this.endAtMs <= Date.now();
    this.end(isLate ? Code.DEADLINE_EXCEEDED : Code.CANCELLED);
    this.stop(isLate ? deadlineExceeded() : new MnemeError('CANCELLED', 'the caller cancelled the call'));
  }

  private watchDeadline(): void {
    if (this.deadlineAtMs === Number.POSITIVE_INFINITY) return;
    const stop = () => this.stop(deadlineExceeded());
    this.signalTimer = setTimeout(stop, Math.min(this.deadlineAtMs - Date.now(), TIMER_MAX_MS));
  }

  private stop(reason: MnemeError): void {
    if (this.stoppedWith) return;
    this.stoppedWith = reason;
    this.controller?.abort(reason);
    for (const listener of [...(this.stopListeners ?? [])]) listener(reason);
  }

  private end(code: Code, error?: unknown): void {
    this.ended = true;
    clearTimeout(this.endTimer);
    clearTimeout(this.signalTimer);
    this.edge.leave(this);
    this.edge.waits?.ended(this.transport, this.sentBytes);
    const durationMs = performance.now() - this.startedAtMs;
    const { isStream, sentBytes, receivedBytes } = this;
    this.edge.meter?.callEnded(this.method, Code[code], { isStream, durationMs, sentBytes, receivedBytes });
    within(this.span, () => this.log(code, durationMs, error));
    if (this.span) endCallSpan(this.span, code, error);
  }

  private log(code: Code, durationMs: number, error: unknown): void {
    const { logger } = this.edge;
    const level = this.levelOf(code, error);
    if (!logger.isLevelEnabled(level)) return;
    const { requestId, span } = this.traceContext;
    const outcome = {
      call: this.callId,
      request: requestId,
      // Of a call that is traced here, the logger names the span.
      ...(span && !this.span && { trace_id: span.traceId, span_id: span.spanId }),
      method: this.method,
      status: Code[code],
      ms: Math.round(durationMs * 1000) / 1000,
      ...whoseOf(this.principal),
    };
    if (level === 'error') logger.error({ ...outcome, err: loggable(error) }, 'call failed');
    else logger[level](error instanceof Error ? { ...outcome, reason: error.message } : outcome, 'call ended');
  }

  private levelOf(code: Code, error: unknown): 'debug' | 'warn' | 'error' {
    if (code === Code.INTERNAL || code === Code.DATA_LOSS) return 'error';
    // A stream may last until its caller's deadline, and a stopping server ends open streams. Refusals by quotas, of
    // which a single caller may cause any number, have a metric with an alert.
    const isExpected =
      (this.isStream && code === Code.DEADLINE_EXCEEDED) || (error instanceof MnemeError && EXPECTED.has(error.reason));
    return TROUBLE.has(code) && !isExpected ? 'warn' : 'debug';
  }
}

/** The caller for the log; the credential of a key is its public part. */
function whoseOf({ identity, proof, credential }: Principal): { identity?: string; key?: string } {
  if (proof === 'none') return {};
  return proof === 'key' ? { identity, key: credential } : { identity };
}

/** Any value can be thrown, and reading its properties may throw too. */
function loggable(error: unknown): Error {
  return error instanceof Error ? error : new Error(`thrown: ${inspect(error)}`);
}

const EXPECTED: ReadonlySet<ErrorReason> = new Set(['DRAINING', 'QUOTA_EXCEEDED']);

/** Longest time that a timer can be set to. */
const TIMER_MAX_MS = 2 ** 31 - 1;

function cappedAt(askedAtMs: number, nowMs: number, { limits }: Edge): number {
  if (askedAtMs === Number.POSITIVE_INFINITY) return nowMs + limits.defaultDeadlineMs;
  return Math.min(askedAtMs, nowMs + limits.maxDeadlineMs);
}

function deadlineExceeded(): MnemeError {
  return new MnemeError('DEADLINE_EXCEEDED', 'the deadline passed before the answer was ready');
}

/** Statuses that are failures of a server by the conventions of OpenTelemetry; all others are of callers. */
const FAILURES: ReadonlySet<Code> = new Set([
  Code.UNKNOWN,
  Code.DEADLINE_EXCEEDED,
  Code.UNIMPLEMENTED,
  Code.INTERNAL,
  Code.UNAVAILABLE,
  Code.DATA_LOSS,
]);

/**
 * The span of a call: of an operation inside a stream, within that of the stream; of any other, within that of its caller,
 * if the headers name one. Absent without a tracer, and for methods of gRPC itself, such as probes of health.
 */
function callSpan(tracer: Tracer | undefined, method: string, parent?: RemoteParent): Span | undefined {
  if (!tracer || !method.startsWith('mneme.')) return undefined;
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
  const options = { kind: 'server' as const, attributes };
  return activeSpan()?.child(method, options) ?? tracer.root(method, { ...options, parent });
}

function endCallSpan(span: Span, code: Code, error: unknown): void {
  span.set({ 'rpc.response.status_code': Code[code] });
  span.end(FAILURES.has(code) ? { error: error ?? Code[code] } : {});
}
