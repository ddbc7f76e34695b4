import type { Metadata } from '@grpc/grpc-js';

export const REQUEST_ID_HEADER = 'x-request-id';
export const TRACEPARENT_HEADER = 'traceparent';
export const TRACESTATE_HEADER = 'tracestate';

/** The caller's span, from the headers of W3C Trace Context. */
export interface RemoteSpan {
  /** 32 hexadecimal digits, not all of them 0. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all of them 0. */
  readonly spanId: string;
  /** The eight flags; bit 0: sampled. */
  readonly flags: number;
  /** `tracestate`, unread; empty where it is absent or longer than the specification asks to pass on. */
  readonly state: string;
}

/** Names of the request and the trace that a call belongs to, as sent by its caller or a proxy. */
export interface TraceContext {
  readonly requestId: string | undefined;
  readonly span: RemoteSpan | undefined;
}

const NONE: TraceContext = { requestId: undefined, span: undefined };

/**
 * Reads `x-request-id` and `traceparent`. Proxies add both, so an invalid one is ignored: the call is served as one without it,
 * as W3C Trace Context prescribes.
 */
export function traceContextOf(metadata: Metadata): TraceContext {
  const requestId = requestIdIn(metadata.get(REQUEST_ID_HEADER));
  const span = spanIn(metadata.get(TRACEPARENT_HEADER), () => metadata.get(TRACESTATE_HEADER));
  return requestId === undefined && span === undefined ? NONE : { requestId, span };
}

type Values = readonly (string | Buffer)[];

/** Printable ASCII without spaces. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** A header that is repeated names no request. */
function requestIdIn(values: Values = []): string | undefined {
  const [value] = values;
  return values.length === 1 && typeof value === 'string' && REQUEST_ID.test(value) ? value : undefined;
}

/** Later versions of the specification may append fields; version ff is invalid. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const FIRST_VERSION = '00';

function spanIn(values: Values = [], state: () => Values | undefined): RemoteSpan | undefined {
  const [value] = values;
  if (values.length !== 1 || typeof value !== 'string') return undefined;
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(value) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === FIRST_VERSION && more !== undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16), state: stateIn(state()) };
}

/** The specification asks to pass on at least this many characters. */
const STATE_CHARACTERS_MAX = 512;
const STATE = /^[\x20-\x7e]*$/;

function stateIn(values: Values = []): string {
  const state = values.join(',');
  return state.length <= STATE_CHARACTERS_MAX && STATE.test(state) ? state : '';
}
