import { AsyncLocalStorage } from 'node:async_hooks';

/** Names, counts and times; never contents of memories, queries or credentials. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** `server`: serves a call of another process; `client`: waits for another process. Default: `internal`. */
  readonly kind?: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** As of `monotonicMs`; default: now. */
  readonly startedAtMs?: number;
}

export interface SpanEnd {
  /** Why the work has failed: its reason or class is exported, never its message. */
  readonly error?: unknown;
  /** As of `monotonicMs`; default: now. */
  readonly endedAtMs?: number;
}

/** Work with a beginning and an end, as a part of a trace. */
export interface Span {
  /** 32 lowercase hexadecimal digits. */
  readonly traceId: string;
  /** 16 lowercase hexadecimal digits. */
  readonly spanId: string;
  /** `tracestate` of the caller, which every part of the trace carries on; empty where there is none. */
  readonly state: string;
  /** False where the trace was not sampled: nothing of it is exported. */
  readonly isRecorded: boolean;
  child(name: string, options?: SpanOptions): Span;
  set(attributes: Attributes): void;
  /** Later calls have no effect. */
  end(end?: SpanEnd): void;
}

/** The span of a caller in another process, from `traceparent` and `tracestate`. */
export interface RemoteParent {
  readonly traceId: string;
  readonly spanId: string;
  /** Bit 0: the caller records the trace. */
  readonly flags: number;
  readonly state: string;
}

/** Begins traces. */
export interface Tracer {
  /** A span without a parent in this process. */
  root(name: string, options?: SpanOptions & { readonly parent?: RemoteParent }): Span;
}

/** Time spent by another thread, as of `monotonicMs`. */
export interface WorkTime {
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** Milliseconds of a clock that all threads of the process share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The span of the work that runs, and the tracer of the server that is being opened. */
interface Tracing {
  readonly span?: Span;
  readonly tracer?: Tracer;
}

const tracing = new AsyncLocalStorage<Tracing>();

function runIn<T>(span: Span | undefined, work: () => T): T {
  return tracing.run({ ...tracing.getStore(), span }, work);
}

/** Opens parts of a server; those that begin traces themselves, such as jobs, find the tracer by `openingTracer`. */
export function openedWith<T>(tracer: Tracer | undefined, open: () => T): T {
  return tracer ? tracing.run({ ...tracing.getStore(), tracer }, open) : open();
}

/** The tracer of the server that is being opened. */
export function openingTracer(): Tracer | undefined {
  return tracing.getStore()?.tracer;
}

/** The span of the work that runs now; absent where nothing is traced. */
export function activeSpan(): Span | undefined {
  return tracing.getStore()?.span;
}

/** The active span where it is exported. */
export function recordedSpan(): Span | undefined {
  const span = activeSpan();
  return span?.isRecorded ? span : undefined;
}

/** Runs work, and all that it starts, within a span. */
export function within<T>(span: Span | undefined, work: () => T): T {
  return span ? runIn(span, work) : work();
}

/** Runs work that has waited for its turn within the span that it has waited for: another one may be active. */
export function resumedIn<T>(span: Span | undefined, work: () => T): T {
  return activeSpan() === span ? work() : runIn(span, work);
}

/** Runs work in a child of the active span; where nothing is recorded, without any, and `describe` is not called. */
export function traced<T>(
  describe: () => SpanOptions & { readonly name: string },
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const parent = recordedSpan();
  if (!parent) return work(undefined);
  const { name, ...options } = describe();
  return inSpan(parent.child(name, options), work);
}

/** Runs work that belongs to no call, although one may have woken it. */
export function outsideSpans<T>(work: () => T): T {
  return activeSpan() ? runIn(undefined, work) : work();
}

/**
 * Runs work that several calls have waited for, in spans of this name: each recorded call has one for the whole time, and what
 * the work itself records is a part of the first.
 */
export async function forAll<T>(
  calls: readonly (Span | undefined)[],
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = { 'db.operation.batch.size': calls.length };
  const spans = calls.flatMap((call) => (call?.isRecorded ? [call.child(name, { attributes })] : []));
  const [first] = spans;
  if (!first) return outsideSpans(work);
  try {
    const result = await runIn(first, work);
    for (const span of spans) span.end();
    return result;
  } catch (error) {
    for (const span of spans) span.end({ error });
    throw error;
  }
}

/** Runs work as a trace of its own; without a tracer, outside of the active span, which may be of a call that has only woken it. */
export function inTrace<T>(
  tracer: Tracer | undefined,
  describe: () => SpanOptions & { readonly name: string },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracer) return outsideSpans(work);
  const { name, ...options } = describe();
  return inSpan(tracer.root(name, options), work);
}

/** Runs work within a span, which ends with it. */
export async function inSpan<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await runIn(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end({ error });
    throw error;
  }
}

/** The headers of W3C Trace Context that make another process continue the trace of the active span; none without one. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const span = activeSpan();
  if (!span) return {};
  const { traceId, spanId, state, isRecorded } = span;
  const traceparent = `00-${traceId}-${spanId}-${isRecorded ? '01' : '00'}`;
  return state === '' ? { traceparent } : { traceparent, tracestate: state };
}
