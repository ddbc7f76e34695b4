import {
  type Span as ApiSpan,
  type Tracer as ApiTracer,
  type Context,
  createTraceState,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { ParentBasedSampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  type Attributes,
  monotonicMs,
  type RemoteParent,
  type Span,
  type SpanEnd,
  type SpanOptions,
  type Tracer,
} from '../../search/threads/span.ts';
import { sendSpans } from './send-spans.ts';
import { SpanQueue } from './span-queue.ts';

export interface TelemetryOptions {
  /** Of the collector, such as `http://localhost:4318`; `/v1/traces` is added unless it ends so. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Share of the traces that are recorded, 0 to 1, where the caller has not decided. */
  readonly sampleRatio: number;
  readonly queueMax: number;
  readonly version: string;
  /** Tells this process from others. */
  readonly instanceId: string;
  /** Called when the collector begins to fail, with the reason, and when it takes spans again. */
  onChange(failure: string | undefined): void;
}

export interface Telemetry {
  readonly tracer: Tracer;
  /** Spans since the start. */
  counts(): { readonly exported: number; readonly failed: number; readonly dropped: number };
  close(): Promise<void>;
}

/** Traces by the SDK of OpenTelemetry, sent as OTLP over HTTP. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { headers, timeoutMs, queueMax } = options;
  const collector = { url: tracesUrl(options.url), headers, timeoutMs };
  const queue = new SpanQueue({
    queueMax,
    send: (spans, stopping) => sendSpans(spans, collector, stopping),
    onChange: options.onChange,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'mneme',
      'service.version': options.version,
      'service.instance.id': options.instanceId,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.sampleRatio) }),
    spanProcessors: [queue],
  });
  return {
    tracer: new TelemetryTracer(provider.getTracer('mneme', options.version)),
    counts: () => ({ ...queue.counts }),
    close: () => provider.shutdown(),
  };
}

function tracesUrl(base: string): string {
  const url = new URL(base);
  if (!url.pathname.endsWith('/v1/traces')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

class TelemetryTracer implements Tracer {
  private readonly tracer: ApiTracer;

  constructor(tracer: ApiTracer) {
    this.tracer = tracer;
  }

  root(name: string, { parent, ...options }: SpanOptions & { readonly parent?: RemoteParent } = {}): Span {
    // Spans of a trace have the same distance between the clock of the threads and that of the wall.
    const wallOffsetMs = Date.now() - monotonicMs();
    return new TelemetrySpan(this.tracer, parent ? remoteContext(parent) : ROOT_CONTEXT, name, options, wallOffsetMs);
  }
}

function remoteContext({ traceId, spanId, flags, state }: RemoteParent): Context {
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: flags & TraceFlags.SAMPLED,
    isRemote: true,
    ...(state !== '' && { traceState: createTraceState(state) }),
  });
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

class TelemetrySpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly isRecorded: boolean;
  private readonly tracer: ApiTracer;
  private readonly parent: Context;
  private readonly span: ApiSpan;
  private readonly wallOffsetMs: number;
  private hasEnded = false;

  constructor(tracer: ApiTracer, parent: Context, name: string, options: SpanOptions, wallOffsetMs: number) {
    const { kind = 'internal', attributes = {}, startedAtMs = monotonicMs() } = options;
    this.tracer = tracer;
    this.parent = parent;
    this.wallOffsetMs = wallOffsetMs;
    const startTime = wallTime(startedAtMs + wallOffsetMs);
    this.span = tracer.startSpan(name, { kind: KINDS[kind], attributes, startTime }, parent);
    const { traceId, spanId } = this.span.spanContext();
    this.traceId = traceId;
    this.spanId = spanId;
    this.isRecorded = this.span.isRecording();
  }

  get state(): string {
    return this.span.spanContext().traceState?.serialize() ?? '';
  }

  child(name: string, options: SpanOptions = {}): Span {
    const context = trace.setSpan(this.parent, this.span);
    return new TelemetrySpan(this.tracer, context, name, options, this.wallOffsetMs);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  end({ error, endedAtMs = monotonicMs() }: SpanEnd = {}): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    if (error !== undefined) {
      this.span.setAttribute('error.type', errorType(error));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end(wallTime(endedAtMs + this.wallOffsetMs));
  }
}

/** The reason of an error of Mneme, else its class: messages may quote what callers have sent. */
function errorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : error.name;
}

function wallTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
