import type { Timing } from './streams/timing.ts';

/** Certificates as PEM text. */
export interface TlsOptions {
  /** What the server's certificate is checked against. Default: the authorities that Node knows. */
  readonly ca?: string | Buffer;
  /** Certificate and key of this client, when the server asks for them. Both or neither. */
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  /** Name that the server's certificate is for, when it is not the host of the address. */
  readonly serverName?: string;
}

/** Parts that are absent are left open. */
export interface CallerScope {
  readonly project?: string;
  readonly agentType?: string;
  readonly agent?: string;
  readonly session?: string;
}

export interface ConnectOptions {
  /** Namespace that calls are about. Default `default`. */
  readonly namespace?: string;
  /** Sent with every call as `authorization: Bearer …`. Without TLS anybody on the way can read it. */
  readonly token?: string;
  /**
   * From which scope calls are made: what private and isolated scopes hide from there is not seen. `'*'` sees everything.
   * Default: from nowhere in particular, so that nothing private is seen but by a recall that names its scope.
   */
  readonly callFrom?: CallerScope | '*';
  /** Encrypts the connection: `true`, or certificates of one's own. Default: not encrypted. */
  readonly tls?: boolean | TlsOptions;
  /** Longest time that a call may take, in milliseconds. Default 10,000; streams have none. */
  readonly timeoutMs?: number;
  /** The same for recall. Default 5,000. */
  readonly recallTimeoutMs?: number;
  /**
   * Waits for the server to come up, as long as the timeout allows. Default true; with false a call fails with
   * `UnavailableError` as soon as the connection is refused.
   */
  readonly waitForReady?: boolean;
  /** Reads see what this client wrote or read before, whichever replica answers. Default true. */
  readonly readYourWrites?: boolean;
  /** Sends nothing twice. By default a call that fails with UNAVAILABLE is repeated a few times. Default true. */
  readonly retry?: boolean;
  /**
   * Silence after which this side of a stream gives a sign of life, in milliseconds. Must be less than what proxies on the
   * way allow. Default 15,000.
   */
  readonly heartbeatMs?: number;
  /** Trace that calls are part of, asked for at each call: what OpenTelemetry's propagator injects. Default: none. */
  readonly traceContext?: () => TraceContext | undefined;
  /** Clock, timers and chance of streams, for tests. Default: those of the process. */
  readonly timing?: Timing;
}

/** W3C trace context, as its two headers. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export interface CallOptions extends TraceContext {
  /** Longest time that the call may take, in milliseconds; `Infinity` for no limit. Default: see `ConnectOptions`. */
  readonly timeoutMs?: number;
  /** Cancels the call. */
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /**
   * Idempotency key: a repeated call with the same key takes effect once and returns the first answer, for as long as the
   * server keeps keys (24 hours unless configured otherwise). Default: a new key for each call, which covers the client's
   * own retries.
   */
  readonly requestId?: string;
}

export interface ReadOptions extends CallOptions {
  /** Oldest revision to answer from. Default: the newest that this client has seen. */
  readonly minRevision?: number;
}
