import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Writable } from 'node:stream';
import { type ClientOptions, connectivityState, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { StreamTransport, UnaryTransport } from '../../grpc/edge/handler.ts';
import { authContextOf, peerOf } from './http-calls.ts';
import type { Method, MethodTable } from './method-table.ts';

export type Channel = NonNullable<ClientOptions['channelOverride']>;
type Call = ReturnType<Channel['createCall']>;
type Listener = Parameters<Call['start']>[1];
type Ending = Pick<ServiceError, 'code' | 'details' | 'metadata'>;

/** Headers of a request that prove and narrow the identity of its caller. */
const CALLER_HEADERS = ['authorization', 'mneme-scope'] as const;

/**
 * A channel of grpc-js whose calls are served in this process, with the credentials of a request over HTTP: another
 * protocol in front of the API has the rights, limits and audit of the caller.
 */
export class InProcessChannel implements Channel {
  private readonly methods: MethodTable;
  private readonly caller: IncomingMessage;

  constructor(methods: MethodTable, caller: IncomingMessage) {
    this.methods = methods;
    this.caller = caller;
  }

  createCall(path: string, deadline: Date | number): Call {
    return new InProcessCall(this.methods.find(path), +deadline, this.caller);
  }

  getTarget(): string {
    return 'in-process';
  }

  getConnectivityState(): connectivityState {
    return connectivityState.READY;
  }

  /** Nothing is to be closed, and the state never changes. */
  close(): void {}
  watchConnectivityState(): void {}
  getChannelzRef(): ReturnType<Channel['getChannelzRef']> {
    // The library gives it to no one but channelz, which the server has not.
    return undefined as never;
  }
}

/** One call, as a client of grpc-js drives it. */
class InProcessCall implements Call {
  private readonly method: Method | undefined;
  private readonly deadlineAtMs: number;
  private readonly caller: IncomingMessage;
  private metadata = new Metadata();
  private listener: Listener | undefined;
  private request: Buffer = Buffer.alloc(0);
  private transport: (EventEmitter & { demand?(): void }) | undefined;
  private demanded = 0;

  constructor(method: Method | undefined, deadlineAtMs: number, caller: IncomingMessage) {
    this.method = method;
    this.deadlineAtMs = deadlineAtMs;
    this.caller = caller;
  }

  start(metadata: Metadata, listener: Listener): void {
    this.metadata = metadata.clone();
    for (const name of CALLER_HEADERS) {
      const header = this.caller.headers[name];
      if (header !== undefined) this.metadata.set(name, String(header));
    }
    this.listener = listener;
  }

  sendMessageWithContext({ callback }: { callback?: (error?: Error | null) => void }, message: Buffer): void {
    this.request = message;
    if (callback) process.nextTick(callback);
  }

  halfClose(): void {
    // The client has its call by then.
    setImmediate(() => this.begin());
  }

  startRead(): void {
    if (this.transport?.demand) this.transport.demand();
    else this.demanded += 1;
  }

  cancelWithStatus(code: status, details: string): void {
    this.transport?.emit('cancelled', 'cancelled');
    this.end({ code, details, metadata: new Metadata() });
  }

  getPeer(): string {
    return 'in-process';
  }
  getCallNumber(): number {
    return 0;
  }
  /** Those of the request are sent. */
  setCredentials(): void {}
  getAuthContext(): null {
    return null;
  }

  private begin(): void {
    if (this.listener === undefined) return;
    const { metadata, request, deadlineAtMs, caller } = this;
    const call = { metadata, request, deadlineAtMs, caller };
    if (this.method?.kind === 'unary') this.beginUnary(this.method, new UnaryCall(call));
    else if (this.method?.kind === 'serverStream') this.beginStream(this.method, call, this.listener);
    else this.end({ code: status.UNIMPLEMENTED, details: 'not served in the process', metadata: new Metadata() });
  }

  private beginUnary({ handle }: Method & { kind: 'unary' }, transport: UnaryCall): void {
    this.transport = transport;
    handle(transport, (error, message, trailers) => {
      if (error) return this.end(error as Ending);
      this.listener?.onReceiveMetadata(transport.headers);
      this.listener?.onReceiveMessage(message);
      this.end({ code: status.OK, details: '', metadata: trailers ?? new Metadata() });
    });
  }

  private beginStream({ handle }: Method & { kind: 'serverStream' }, call: Served, listener: Listener): void {
    const transport = new StreamCall(call, listener, (ending) => this.end(ending));
    this.transport = transport;
    for (; this.demanded > 0; this.demanded -= 1) transport.demand();
    handle(transport);
  }

  private end(ending: Ending): void {
    const { listener, transport } = this;
    this.listener = undefined;
    if (!listener) return;
    listener.onReceiveStatus(ending);
    if (transport instanceof Writable) transport.destroy();
  }
}

interface Served {
  readonly metadata: Metadata;
  readonly request: Buffer;
  readonly deadlineAtMs: number;
  readonly caller: IncomingMessage;
}

/** A unary call, as handlers know it from grpc-js. */
class UnaryCall extends EventEmitter implements UnaryTransport {
  readonly metadata: Metadata;
  request: Buffer;
  headers = new Metadata();
  readonly connection = {};
  private readonly served: Served;

  constructor(served: Served) {
    super();
    this.served = served;
    this.metadata = served.metadata;
    this.request = served.request;
  }

  sendMetadata(headers: Metadata): void {
    this.headers = headers;
  }

  getDeadline(): number {
    return this.served.deadlineAtMs;
  }

  getPeer(): string {
    return peerOf(this.served.caller);
  }

  getAuthContext(): ReturnType<UnaryTransport['getAuthContext']> {
    return authContextOf(this.served.caller);
  }
}

/** A call with many answers, as handlers know it from grpc-js: each is passed on when its reader asks for it. */
class StreamCall extends Writable implements StreamTransport {
  readonly metadata: Metadata;
  readonly request: { take(): Buffer };
  readonly connection = {};
  private readonly served: Served;
  private readonly listener: Listener;
  private readonly onEnd: (ending: Ending) => void;
  private demanded = 0;
  private waiting: (() => void) | undefined;
  private failure: Ending | undefined;
  private hasHeaders = false;

  constructor(served: Served, listener: Listener, onEnd: (ending: Ending) => void) {
    super({ objectMode: true });
    this.served = served;
    this.listener = listener;
    this.onEnd = onEnd;
    this.metadata = served.metadata;
    this.request = { take: () => served.request };
    this.on('error', (failure: Error) => {
      this.failure ??= failure as Error & Ending;
      this.end();
    });
    this.once('cancelled', () => this.destroy());
  }

  /** Asks for one more message. */
  demand(): void {
    this.demanded += 1;
    this.waiting?.();
  }

  sendMetadata(headers: Metadata): void {
    if (this.hasHeaders) return;
    this.hasHeaders = true;
    this.listener.onReceiveMetadata(headers);
  }

  getDeadline(): number {
    return this.served.deadlineAtMs;
  }

  getPeer(): string {
    return peerOf(this.served.caller);
  }

  getAuthContext(): ReturnType<StreamTransport['getAuthContext']> {
    return authContextOf(this.served.caller);
  }

  override _write(message: Buffer, _encoding: string, done: () => void): void {
    this.sendMetadata(new Metadata());
    const send = () => {
      this.waiting = undefined;
      this.demanded -= 1;
      this.listener.onReceiveMessage(message);
      done();
    };
    if (this.demanded > 0) send();
    else this.waiting = send;
  }

  override _final(done: () => void): void {
    done();
    this.onEnd(this.failure ?? { code: status.OK, details: '', metadata: new Metadata() });
  }
}
