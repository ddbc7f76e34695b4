import { status as Code } from '@grpc/grpc-js';
import { activeSpan, type RemoteParent, type Span, type Tracer } from '../../../search/threads/span.ts';

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
export function callSpan(tracer: Tracer | undefined, method: string, parent?: RemoteParent): Span | undefined {
  if (!tracer || !method.startsWith('mneme.')) return undefined;
  const attributes = { 'rpc.system.name': 'grpc', 'rpc.method': method };
  const options = { kind: 'server' as const, attributes };
  return activeSpan()?.child(method, options) ?? tracer.root(method, { ...options, parent });
}

export function endCallSpan(span: Span, code: Code, error: unknown): void {
  span.set({ 'rpc.response.status_code': Code[code] });
  span.end(FAILURES.has(code) ? { error: error ?? Code[code] } : {});
}
