import { Client, type ClientDuplexStream, type ClientReadableStream, connectivityState, Metadata } from '@grpc/grpc-js';
import { integerOf } from './bad-input.ts';
import { refuseBrokenTexts } from './broken-texts.ts';
import { callError, cancelledBy, closedError } from './call-error.ts';
import { callerHeader } from './caller-header.ts';
import { channelOptionsOf, credentialsOf, targetOf } from './channel.ts';
import { familyOf } from './error-families.ts';
import { CancelledError, UnavailableError } from './errors.ts';
import { namespaceOf } from './names.ts';
import type { CallOptions, ConnectOptions, ReadOptions, TraceContext } from './options.ts';
import { Retries } from './retries.ts';
import { SeenRevision } from './seen-revision.ts';
import { HEARTBEAT_MS } from './streams/heartbeat.ts';
import { StreamConnections } from './streams/stream-connections.ts';
import { systemTiming, type Timing } from './streams/timing.ts';
import { unexplainedText } from './unreachable.ts';

/** Key of the connection of a client. */
export const CONNECTION: unique symbol = Symbol('mneme.connection');

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_RECALL_TIMEOUT_MS = 5_000;
/** For a server that starts at the same time. */
const FIRST_CONNECTION_MS = 400;
/** How often the reason is asked for why there is no connection. */
const REASON_ATTEMPTS = 3;
/** A call that changes nothing. */
const PROBE = '/mneme.v1.AdminService/GetServerInfo';
/** The streams that `close` lets finish. */
const FINISHES = /\/(IngestMemories|ImportMemories)$/;

/** A method of a generated service. */
export interface Method<Request, Response> {
  readonly path: string;
  readonly requestSerialize: (request: Request) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => Response;
}

/** The connection to one server, shared by all clients that `connect` returns. */
export class Connection {
  readonly timing: Timing;
  readonly heartbeatMs: number;
  readonly address: string;
  readonly timeoutMs: number;
  readonly recallTimeoutMs: number;
  readonly seenRevision = new SeenRevision();
  readonly #options: ConnectOptions;
  readonly #metadata: Metadata;
  /** Those of the namespace of the last call. */
  #latest: { readonly namespace: string; readonly metadata: Metadata } | undefined;
  readonly #client: Client;
  readonly #retries: Retries;
  readonly #streamConnections = new StreamConnections(() => this.#newClient(true));
  #closed = false;
  #wasConnected = false;
  #closing: Promise<void> | undefined;
  /** Functions that cancel the work that `close` waits for. */
  readonly #finishing = new Set<() => void>();
  /** Functions that end each open stream, with whether the stream may be part of such work. */
  readonly #streams = new Map<() => void, boolean>();
  #onFinished = () => {};
  #cancelLate = () => {};

  constructor(address: string, options: ConnectOptions) {
    this.address = address;
    this.timing = options.timing ?? systemTiming;
    this.heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.recallTimeoutMs = options.recallTimeoutMs ?? DEFAULT_RECALL_TIMEOUT_MS;
    this.#options = options;
    this.#metadata = new Metadata({ waitForReady: options.waitForReady ?? true });
    if (options.token !== undefined) this.#metadata.set('authorization', `Bearer ${options.token}`);
    if (options.callFrom !== undefined) this.#metadata.set('mneme-scope', callerHeader(options.callFrom));
    this.#client = this.#newClient();
    this.#retries = new Retries(this.timing, () => !this.#closed && (options.retry ?? true));
  }

  /** Whether calls are retried. */
  get retries(): boolean {
    return (!this.#closed || this.#finishing.size > 0) && (this.#options.retry ?? true);
  }

  async unary<Request extends object, Response>(
    method: Method<Request, Response>,
    request: Request,
    { timeoutMs = this.timeoutMs, signal, ...trace }: CallOptions = {},
  ): Promise<Response> {
    if (signal?.aborted) throw cancelledBy(signal, familyOf(method.path));
    refuseBrokenTexts(request);
    const { path, requestSerialize, responseDeserialize } = method;
    const metadata = this.#metadataOf(trace, namespaceOf(request));
    const limit = { deadline: deadlineAfter(timeoutMs) };
    const cancelling = new AbortController();
    const cancel = () => cancelling.abort();
    const finished = this.finishing(method, cancel);
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      const isReachable = this.#wasConnected || (await this.#reached(this.#client, timeoutMs, cancelling.signal));
      // Without a connection, the call fails at once with the reason for it.
      const sent = isReachable ? metadata : withoutWaiting(metadata);
      const call = this.#retries.call<Response>(path, isReachable ? timeoutMs : 0, (done) => {
        const attempt = this.#client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          sent,
          limit,
          done,
        );
        return () => attempt.cancel();
      });
      if (cancelling.signal.aborted) call.cancel();
      cancelling.signal.addEventListener('abort', () => call.cancel(), { once: true });
      return await call.answer;
    } catch (error) {
      const failure = this.#errorOf(error, method, signal);
      throw this.#isUnexplained(failure) ? await this.#reasonOf(this.#client, method, signal) : failure;
    } finally {
      signal?.removeEventListener('abort', cancel);
      finished();
    }
  }

  /** Messages as they come; the call is cancelled when the reader stops early. */
  async *readStream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    options: CallOptions = {},
  ): AsyncGenerator<Response, void, undefined> {
    refuseBrokenTexts(request);
    await this.#streamsReady(method, options);
    const { path, requestSerialize, responseDeserialize } = method;
    const metadata = this.#metadataOf(options);
    const limit = { deadline: deadlineAfter(options.timeoutMs ?? Number.POSITIVE_INFINITY) };
    const stream = this.#streamConnections.begin(
      (client) => client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata, limit),
      options.signal,
    );
    yield* this.messagesOf(method, stream, options.signal);
  }

  async duplexStream<Request, Response>(
    method: Method<Request, Response>,
    options: CallOptions = {},
  ): Promise<ClientDuplexStream<Request, Response>> {
    await this.#streamsReady(method, options);
    const { path, requestSerialize, responseDeserialize } = method;
    const metadata = this.#metadataOf(options);
    const limit = { deadline: deadlineAfter(options.timeoutMs ?? Number.POSITIVE_INFINITY) };
    return this.#streamConnections.begin(
      (client) => client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata, limit),
      options.signal,
    );
  }

  async *messagesOf<Response>(
    method: { readonly path: string },
    stream: ClientReadableStream<Response> | ClientDuplexStream<never, Response>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Response, void, undefined> {
    const cancel = () => stream.cancel();
    this.#streams.set(cancel, FINISHES.test(method.path));
    signal?.addEventListener('abort', cancel, { once: true });
    try {
      for await (const message of stream) yield message as Response;
    } catch (error) {
      throw this.#errorOf(error, method, signal);
    } finally {
      this.#streams.delete(cancel);
      signal?.removeEventListener('abort', cancel);
      stream.cancel();
    }
  }

  /** Remembers a revision that an answer carried, and returns it. */
  seen(revision: bigint): number {
    return this.seenRevision.note(Number(revision));
  }

  /** The minimum revision for a read, so that it sees everything that this client has seen. */
  minRevision({ minRevision }: ReadOptions = {}): bigint {
    if (minRevision !== undefined) return integerOf(minRevision, 'minRevision');
    return this.#options.readYourWrites === false ? 0n : BigInt(this.seenRevision.newest);
  }

  /**
   * Lets started work finish when the client is closed, until the returned function is called. `cancel` ends it when it
   * takes longer than the timeout of a call.
   */
  finishing(method: { readonly path: string }, cancel: () => void): () => void {
    this.#assertUsable(method, undefined);
    this.#finishing.add(cancel);
    return () => {
      this.#finishing.delete(cancel);
      if (this.#finishing.size === 0) this.#onFinished();
    };
  }

  /** As `finishing`, for work that ends by a signal: that of the caller, or the end of the time that `close` leaves it. */
  finishingBySignal(method: { readonly path: string }, signal: AbortSignal | undefined) {
    const closing = new AbortController();
    const finished = this.finishing(method, () => closing.abort(closedError(familyOf(method.path))));
    return { finished, signal: AbortSignal.any([closing.signal, ...(signal ? [signal] : [])]) };
  }

  /**
   * Refuses new calls, ends read-only streams, lets other work finish within the timeout of a call, then disconnects.
   */
  close(): Promise<void> {
    this.#closing ??= this.#finished().then(() => {
      for (const cancel of this.#streams.keys()) cancel();
      this.#client.close();
      this.#streamConnections.close();
    });
    return this.#closing;
  }

  async #finished(): Promise<void> {
    this.#closed = true;
    for (const [cancel, finishes] of this.#streams) if (!finishes) cancel();
    if (this.#finishing.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onFinished = resolve;
      if (Number.isFinite(this.timeoutMs)) this.#cancelLate = this.timing.setTimer(resolve, this.timeoutMs);
    });
    this.#cancelLate();
    for (const cancel of this.#finishing) cancel();
  }

  /** Whether the program asked to wait for a server that is away. */
  get isPatient(): boolean {
    return this.#options.waitForReady === true;
  }

  /** Whether calls and streams wait for a server that is away: one that was never reached is not waited for by default. */
  get waits(): boolean {
    return this.#wasConnected || this.#options.waitForReady !== undefined;
  }

  /** Whether there is a connection; the first one is waited for, by default a moment. */
  #reached(client: Client, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    if (this.#options.waitForReady !== undefined) return Promise.resolve(true);
    const waitMs = Math.min(FIRST_CONNECTION_MS, timeoutMs / 2);
    return new Promise((resolve) => {
      signal?.addEventListener('abort', () => resolve(false), { once: true });
      client.waitForReady(Date.now() + waitMs, (error) => {
        this.#wasConnected ||= error === undefined;
        const state = this.#closed ? connectivityState.SHUTDOWN : client.getChannel().getConnectivityState(false);
        // A connection that is still being made, as through a slow network, has failed in no way.
        resolve(this.#wasConnected || state !== connectivityState.TRANSIENT_FAILURE);
      });
    });
  }

  #newClient(isForStreams = false): Client {
    const target = targetOf(this.address);
    const channelOptions = channelOptionsOf(target, this.#options, isForStreams);
    const { tls, channel } = this.#options;
    return new Client(target, credentialsOf(tls), { ...channelOptions, ...(channel && { channelOverride: channel }) });
  }

  /** A stream has no deadline, so the wait for a connection gets one. */
  async #streamsReady(method: { readonly path: string }, { signal }: CallOptions): Promise<void> {
    if (this.#finishing.size === 0 || !FINISHES.test(method.path)) this.#assertUsable(method, signal);
    if (this.#options.waitForReady === false) return;
    const { client } = this.#streamConnections;
    if (!(await this.#reached(client, this.timeoutMs, signal))) throw await this.#reasonOf(client, method, signal);
    const family = familyOf(method.path);
    const deadline = deadlineAfter(this.timeoutMs);
    await new Promise<void>((resolve, reject) => {
      const cancel = () => reject(cancelledBy(signal as AbortSignal, family));
      const close = () => reject(closedError(family));
      signal?.addEventListener('abort', cancel, { once: true });
      this.#streams.set(close, FINISHES.test(method.path));
      client.waitForReady(deadline, (error) => {
        signal?.removeEventListener('abort', cancel);
        this.#streams.delete(close);
        if (error === undefined) resolve();
        else if (this.#closed) reject(closedError(family));
        else void this.#reasonOf(client, method, signal).then(reject);
      });
    });
  }

  /**
   * The error of a call or stream that has no connection: gRPC has the reason only for calls that do not wait, and none
   * where it has resolved the name since the last attempt. The next attempt has one.
   */
  async #reasonOf(
    client: Client,
    method: { readonly path: string },
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    let failure = await this.#probe(client, method, signal);
    for (let attempts = 1; attempts < REASON_ATTEMPTS && this.#isUnexplained(failure); attempts++) {
      await nextState(client);
      failure = await this.#probe(client, method, signal);
    }
    return failure;
  }

  #probe(client: Client, method: { readonly path: string }, signal: AbortSignal | undefined): Promise<unknown> {
    const nothing = () => Buffer.alloc(0);
    const metadata = withoutWaiting(this.#metadata);
    const limit = { deadline: Date.now() + FIRST_CONNECTION_MS };
    return new Promise((resolve) => {
      client.makeUnaryRequest(PROBE, nothing, nothing, {}, metadata, limit, (error) => {
        const failure = this.#errorOf(error, method, signal);
        const family = familyOf(method.path);
        const isNamed = failure instanceof UnavailableError;
        const text = unexplainedText(this.address);
        resolve(isNamed ? failure : new UnavailableError('UNAVAILABLE', text, { family, cause: failure }));
      });
    });
  }

  #isUnexplained(failure: unknown): boolean {
    return !this.#closed && failure instanceof UnavailableError && failure.message === unexplainedText(this.address);
  }

  #metadataOf({ traceparent, tracestate }: TraceContext, namespace?: string): Metadata {
    const trace = traceparent === undefined ? this.#options.traceContext?.() : { traceparent, tracestate };
    const common = namespace === undefined ? this.#metadata : this.#metadataIn(namespace);
    if (trace?.traceparent === undefined) return common;
    const metadata = common.clone();
    metadata.set('traceparent', trace.traceparent);
    if (trace.tracestate !== undefined) metadata.set('tracestate', trace.tracestate);
    return metadata;
  }

  /** With the namespace of a call: proxies send those of one namespace to one server. */
  #metadataIn(namespace: string): Metadata {
    if (this.#latest?.namespace !== namespace) {
      const metadata = this.#metadata.clone();
      metadata.set('mneme-namespace', namespace);
      this.#latest = { namespace, metadata };
    }
    return this.#latest.metadata;
  }

  #assertUsable({ path }: { readonly path: string }, signal: AbortSignal | undefined): void {
    const family = familyOf(path);
    if (this.#closed) throw closedError(family);
    if (signal?.aborted) throw cancelledBy(signal, family);
  }

  #errorOf(error: unknown, { path }: { readonly path: string }, signal: AbortSignal | undefined): unknown {
    const typed = callError(error, {
      path,
      address: this.address,
      isConnected: this.isConnected,
      usesTls: Boolean(this.#options.tls),
      signal,
    });
    const isEnded = this.#closed && !signal?.aborted && typed instanceof CancelledError;
    return isEnded ? closedError(familyOf(path)) : typed;
  }

  /** Whether there is a connection at the moment. */
  get isConnected(): boolean {
    return !this.#closed && this.#client.getChannel().getConnectivityState(false) === connectivityState.READY;
  }
}

/** Resolves when the connection is in another state than now, at the latest after the time for a first connection. */
function nextState(client: Client): Promise<void> {
  const channel = client.getChannel();
  const state = channel.getConnectivityState(true);
  if (state === connectivityState.SHUTDOWN) return Promise.resolve();
  return new Promise((resolve) => {
    channel.watchConnectivityState(state, Date.now() + FIRST_CONNECTION_MS, () => resolve());
  });
}

function withoutWaiting(metadata: Metadata): Metadata {
  const other = metadata.clone();
  other.setOptions({ ...metadata.getOptions(), waitForReady: false });
  return other;
}

function deadlineAfter(timeoutMs: number): number {
  return timeoutMs === Number.POSITIVE_INFINITY ? timeoutMs : Date.now() + timeoutMs;
}
