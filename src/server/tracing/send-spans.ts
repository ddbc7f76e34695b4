import { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

export interface CollectorOptions {
  /** Where spans are posted. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** What has become of a batch of spans. `passing`: the same request may succeed later. */
export type SendOutcome =
  | { readonly kind: 'taken'; readonly rejectedCount: number }
  | { readonly kind: 'passing'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Statuses after which OTLP asks to send again. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Sends spans as OTLP in protobuf over HTTP. Resolves with the outcome, also after a failure. */
export async function sendSpans(
  spans: ReadableSpan[],
  { url, headers, timeoutMs }: CollectorOptions,
  stopping: AbortSignal,
): Promise<SendOutcome> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-protobuf' },
      body: Buffer.from(ProtobufTraceSerializer.serializeRequest(spans) ?? []),
      redirect: 'error',
      signal: AbortSignal.any([stopping, timeout]),
    });
    const answer = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return { kind: 'taken', rejectedCount: rejectedIn(answer) };
    const kind = PASSING_STATUSES.has(response.status) ? 'passing' : 'refused';
    return { kind, reason: `it answered ${response.status}` };
  } catch (error) {
    if (timeout.aborted) return { kind: 'passing', reason: `it did not answer within ${timeoutMs} ms` };
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
    return {
      kind: 'passing',
      reason: `it cannot be reached (${typeof code === 'string' ? code : 'connection failed'})`,
    };
  }
}

/** Spans that the collector has not taken from a request that it has taken. */
function rejectedIn(answer: Uint8Array): number {
  if (answer.length === 0) return 0;
  try {
    return Number(ProtobufTraceSerializer.deserializeResponse(answer).partialSuccess?.rejectedSpans ?? 0);
  } catch {
    // An answer in another encoding: the status says that the spans were taken.
    return 0;
  }
}
