import type { ClientOptions } from '@grpc/grpc-js';
import type { Timing } from './streams/timing.ts';

/** Certificates as PEM text. */
export interface TlsOptions {
  /** Authorities for the server's certificate. Default: those of Node. */
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
   * Scope of the caller: memories that private and isolated scopes hide from it are not visible. `'*'` sees everything.
   * Default: none, so that private memories are visible only to a recall that names their scope.
   */
  readonly callFrom?: CallerScope | '*';
  /** Encrypts the connection: `true`, or certificates of one's own. Default: not encrypted. */
  readonly tls?: boolean | TlsOptions;
  /** Timeout of a call, in milliseconds. Default 10,000; streams have none. */
  readonly timeoutMs?: number;
  /** The same for recall. Default 5,000. */
  readonly recallTimeoutMs?: number;
  /**
   * True: calls wait for the server to come up, as long as the timeout allows, and streams for ever. False: a call fails
   * with `UnavailableError` as soon as the connection is refused. Default: a server that was never reached is waited for
   * 0.4 seconds where it refuses the connection; one that was reached before as with true.
   */
  readonly waitForReady?: boolean;
  /** Reads see everything that this client wrote or read before, whichever replica answers. Default true. */
  readonly readYourWrites?: boolean;
  /**
   * Whether a call that fails with UNAVAILABLE, or whose connection breaks before the whole answer has arrived, is
   * repeated: up to 4 attempts, 3 for recall, within the deadline. False: sends nothing twice. Default true.
   */
  readonly retry?: boolean;
  /**
   * Interval of this side's heartbeats on a stream, in milliseconds. Must be less than the idle timeout of proxies on
   * the way. Default 15,000.
   */
  readonly heartbeatMs?: number;
  /** Trace context of calls, evaluated for each call: as OpenTelemetry's propagator injects it. Default: none. */
  readonly traceContext?: () => TraceContext | undefined;
  /** Carries the calls in place of a connection to the address, such as to a server of the same process. Default: none. */
  readonly channel?: NonNullable<ClientOptions['channelOverride']>;
  /** Clock, timers and random numbers of streams, for tests. Default: those of the process. */
  readonly timing?: Timing;
}

/** W3C trace context, as its two headers. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export interface CallOptions extends TraceContext {
  /** Timeout of the call, in milliseconds; `Infinity` for none. Default: see `ConnectOptions`. */
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
