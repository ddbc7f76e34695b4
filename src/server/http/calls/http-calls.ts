import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { Metadata, type sendUnaryData } from '@grpc/grpc-js';
import { MnemeError } from '../../../memory/errors.ts';
import type { Wait } from '../../../memory/waits.ts';
import type { Presented } from '../../grpc/edge/edge.ts';
import type { StreamTransport, UnaryTransport } from '../../grpc/edge/handler.ts';
import type { Failure } from '../../grpc/edge/status.ts';
import type { AwaitedCall, CallWaits } from '../../grpc/upstream/call-waits.ts';
import { type AnswerFormat, beginStream, envelope, type StreamFormat } from './formats.ts';

/** What a call over HTTP/1.1 is made of. */
export interface Arrived {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The message as its protocol encodes it, or why it cannot be read. */
  readonly body: Buffer | Error;
  /** `Infinity`: the caller sets none. */
  readonly deadlineAtMs: number;
  readonly waits: CallWaits;
  readonly failureOf: (error: MnemeError) => Failure;
}

const NO_BYTES = Buffer.alloc(0);

/** A unary call, as handlers know it from grpc-js. */
export class HttpUnaryCall extends EventEmitter implements UnaryTransport {
  readonly metadata: Metadata;
  private readonly arrived: Arrived;
  private readonly format: AnswerFormat;
  private body: Buffer | Error;
  private headers: Metadata | undefined;
  private readonly cancelDeadline: () => void;

  constructor(arrived: Arrived, format: AnswerFormat) {
    super();
    this.arrived = arrived;
    this.format = format;
    this.body = arrived.body;
    this.metadata = Metadata.fromHttp2Headers(arrived.request.headers);
    this.cancelDeadline = atDeadline(arrived, () => {
      this.emit('cancelled', 'cancelled');
      this.refuse(lateFailure(arrived));
    });
    arrived.response.once('close', () => {
      this.cancelDeadline();
      this.emit('cancelled', 'cancelled');
    });
  }

  /** Decoded on reading: the credentials of the call are checked before its body can fail. */
  get request(): Buffer {
    if (this.body instanceof Error) throw this.body;
    return this.format.messages.decode(this.body);
  }

  set request(_none) {
    this.body = NO_BYTES;
  }

  get connection(): object {
    return this.arrived.request.socket;
  }

  readonly answer: sendUnaryData<Buffer> = (error, message, trailers) => {
    if (error) {
      this.refuse(error as Failure);
      return;
    }
    const { response } = this.arrived;
    if (response.headersSent || response.destroyed) return;
    this.format.answer(response, this.format.messages.encode(message ?? NO_BYTES), this.headers, trailers);
    this.end();
  };

  sendMetadata(headers: Metadata): void {
    this.headers = headers;
  }

  getDeadline(): number {
    return this.arrived.deadlineAtMs;
  }

  getPeer(): string {
    return peerOf(this.arrived.request);
  }

  getAuthContext(): ReturnType<Presented['getAuthContext']> {
    return authContextOf(this.arrived.request);
  }

  private refuse(failure: Failure): void {
    const { response } = this.arrived;
    if (response.headersSent || response.destroyed) return;
    this.format.refuse(response, failure, this.headers);
    this.end();
  }

  private end(): void {
    this.cancelDeadline();
    limitReader(this.arrived);
  }
}

/** A call with many answers, as handlers know it from grpc-js. */
export class HttpStreamCall extends Writable implements StreamTransport {
  readonly metadata: Metadata;
  readonly request: { take(): Buffer };
  private readonly arrived: Arrived;
  private readonly format: StreamFormat;
  private failure: Failure | undefined;
  /** Sent with the status of a call that has succeeded. */
  trailers: Metadata | undefined;

  constructor(arrived: Arrived, format: StreamFormat) {
    super({ objectMode: true });
    this.arrived = arrived;
    this.format = format;
    this.metadata = Metadata.fromHttp2Headers(arrived.request.headers);
    this.request = { take: () => this.takeRequest(arrived.body) };
    this.on('error', (failure: Error) => this.fail(failure as Error & Failure));
    const cancelDeadline = atDeadline(arrived, () => {
      this.emit('cancelled', 'cancelled');
      this.fail(lateFailure(arrived));
    });
    arrived.response.once('close', () => {
      cancelDeadline();
      this.emit('cancelled', 'cancelled');
      this.destroy();
    });
  }

  get connection(): object {
    return this.arrived.request.socket;
  }

  sendMetadata(headers: Metadata): void {
    const { response } = this.arrived;
    if (response.headersSent || response.destroyed) return;
    beginStream(response, this.format, headers);
    response.flushHeaders();
  }

  getDeadline(): number {
    return this.arrived.deadlineAtMs;
  }

  getPeer(): string {
    return peerOf(this.arrived.request);
  }

  getAuthContext(): ReturnType<Presented['getAuthContext']> {
    return authContextOf(this.arrived.request);
  }

  override _write(message: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const { response } = this.arrived;
    if (response.destroyed) return;
    response.write(envelope(0, this.format.messages.encode(message)), () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    const { response } = this.arrived;
    done();
    if (response.destroyed) return;
    if (!response.headersSent) beginStream(response, this.format, undefined);
    response.end(this.format.last(this.failure, this.trailers));
    limitReader(this.arrived);
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    if (!this.arrived.response.writableEnded) this.arrived.response.destroy();
    done();
  }

  private takeRequest(body: Buffer | Error): Buffer {
    if (body instanceof Error) throw body;
    return this.format.messages.decode(body);
  }

  private fail(failure: Failure): void {
    this.failure ??= failure;
    this.end();
  }
}

function lateFailure({ failureOf }: Arrived): Failure {
  return failureOf(new MnemeError('DEADLINE_EXCEEDED', 'the deadline passed before the answer was ready'));
}

/** Longest time that a timer can be set to. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** Calls back when the deadline of the caller has passed, unless the returned function is called before. */
function atDeadline({ deadlineAtMs }: Arrived, onLate: () => void): () => void {
  if (deadlineAtMs === Number.POSITIVE_INFINITY) return nothing;
  // Timers may be a fraction of a millisecond early.
  const afterMs = deadlineAtMs - Date.now() + 1;
  if (afterMs > TIMER_MAX_MS) return nothing;
  const timer = setTimeout(onLate, afterMs);
  return () => clearTimeout(timer);
}

const nothing = (): void => undefined;

/** The rest of an answer, while its reader has not taken it. */
class UnreadAnswer implements AwaitedCall {
  extensions = 0;
  wait: Wait<AwaitedCall> | undefined;
  private readonly response: ServerResponse;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  refuse(): void {}

  cut(): void {
    this.response.destroy();
  }

  renew(wait: Wait<AwaitedCall>): void {
    this.wait = wait;
  }
}

/** Ends the connection of a caller that does not read the answer in time. */
function limitReader({ response, waits }: Arrived): void {
  const waitingBytes = response.writableLength + (response.socket?.writableLength ?? 0);
  if (response.closed || waitingBytes === 0) return;
  const unread = new UnreadAnswer(response);
  unread.wait = waits.awaitReader(unread, waitingBytes);
  response.once('close', () => unread.wait && waits.end(unread.wait));
}

export function peerOf({ socket: { remoteAddress, remotePort } }: IncomingMessage): string {
  return remoteAddress === undefined ? 'unknown' : `${remoteAddress}:${remotePort}`;
}

export function authContextOf({ socket }: IncomingMessage): ReturnType<Presented['getAuthContext']> {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return {};
  const certificate = socket.getPeerCertificate();
  // Without a certificate it is an object without properties.
  return { transportSecurityType: 'ssl', ...('raw' in certificate && { sslPeerCertificate: certificate }) };
}
