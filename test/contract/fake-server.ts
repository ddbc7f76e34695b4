import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { DescMethod, JsonValue } from '@bufbuild/protobuf';
import {
  type handleBidiStreamingCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RetryInfo } from '../../gen/ts/google/rpc/error_details.ts';
import { Status } from '../../gen/ts/google/rpc/status.ts';
import { bytesOf, jsonOf, METHODS, pathOf } from './api.ts';

/** An error to be sent; `details` replaces well-formed ones. */
export interface FakeError {
  readonly code: keyof typeof status;
  readonly message?: string;
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly { readonly field: string; readonly description: string }[];
  readonly retry_delay_ms?: number;
  /** Bytes in base64. */
  readonly details?: string;
}

/** Answer to one call: messages as protobuf JSON, or bytes in base64, then an end. */
export interface FakeAnswer {
  readonly answer?: JsonValue;
  readonly bytes?: string;
  readonly items?: readonly JsonValue[];
  readonly error?: FakeError;
  /** Answers only when this method has been asked. */
  readonly until?: string;
  /** Leaves the call without an end. */
  readonly hang?: boolean;
  /** Ends the connection after headers and messages, before the status, as the kill of a server may. */
  readonly cut?: boolean;
  /** Ends the call there instead with RST_STREAM, as Envoy and nginx do when their connection to the server breaks. */
  readonly reset?: boolean;
  /** Ends the call there as if it were complete, but without a status, as HAProxy does in that case. */
  readonly statusless?: boolean;
}

/** A received call. */
export interface Asked {
  readonly rpc: string;
  readonly requests: JsonValue[];
  readonly headers: Readonly<Record<string, string>>;
  /** Time that the caller allows; absent: no limit. */
  readonly deadline_ms?: number;
  /** Number of its connection, from 1, in the order of the first calls of the connections. */
  readonly connection: number;
}

type Call = ServerDuplexStream<Buffer, Buffer>;

/**
 * A server that answers as a scenario defines, and records its calls. The last answer of a method repeats indefinitely.
 */
export class FakeServer {
  readonly asked: Asked[] = [];
  private readonly server = new Server();
  /** Open connections by the address of the client. */
  private readonly sockets = new Map<string, Socket>();
  /** Addresses of the client, in the order of their first calls. */
  private readonly callers: string[] = [];
  private readonly listener = createServer();
  private readonly answers = new Map<string, FakeAnswer[]>();
  private readonly waiting = new Map<string, (() => void)[]>();
  address = '';

  async start(): Promise<void> {
    const same = (bytes: Buffer) => bytes;
    for (const [name, method] of METHODS) {
      const [service = ''] = name.split('.');
      // Every method is served as a stream: the wire format is the same.
      const definition: ServiceDefinition = {
        [name]: {
          path: pathOf(method),
          requestStream: true,
          responseStream: true,
          requestSerialize: same,
          requestDeserialize: same,
          responseSerialize: same,
          responseDeserialize: same,
        },
      };
      const handler: handleBidiStreamingCall<Buffer, Buffer> = (call) => this.serve(name, call);
      if (service !== '') this.server.addService(definition, { [name]: handler });
    }
    const grpc = this.server.createConnectionInjector(ServerCredentials.createInsecure());
    this.listener.on('connection', (socket) => {
      const client = `${socket.remoteAddress}:${socket.remotePort}`;
      this.sockets.set(client, socket);
      socket.on('error', () => {}).on('close', () => this.sockets.delete(client));
      grpc.injectConnection(socket);
    });
    this.listener.listen(0, '127.0.0.1');
    await once(this.listener, 'listening');
    this.address = `127.0.0.1:${(this.listener.address() as AddressInfo).port}`;
  }

  answer(script: Readonly<Record<string, readonly FakeAnswer[]>>): void {
    for (const [name, answers] of Object.entries(script)) this.answers.set(name, [...answers]);
  }

  stop(): void {
    this.listener.close();
    for (const socket of this.sockets.values()) socket.destroy();
    this.server.forceShutdown();
  }

  private serve(name: string, call: Call): void {
    const method = METHODS.get(name);
    if (!method) return;
    const requests: JsonValue[] = [];
    const deadline = Number(call.getDeadline());
    this.asked.push({
      rpc: name,
      requests,
      headers: Object.fromEntries(Object.entries(call.metadata.getMap()).map(([key, value]) => [key, String(value)])),
      ...(Number.isFinite(deadline) && { deadline_ms: deadline - Date.now() }),
      connection: this.connectionOf(call.getPeer()),
    });
    for (const answerNow of this.waiting.get(name)?.splice(0) ?? []) answerNow();
    const answers = this.answers.get(name) ?? [];
    const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { error: { code: 'UNIMPLEMENTED' } };
    call.on('error', () => {});
    let isAnswered = false;
    call.on('data', (bytes: Buffer) => {
      requests.push(jsonOf(method, 'input', bytes));
      if (isAnswered) return;
      isAnswered = true;
      if (answer.until === undefined) return this.say(call, method, answer);
      const waiting = this.waiting.get(answer.until) ?? [];
      this.waiting.set(answer.until, [...waiting, () => this.say(call, method, answer)]);
    });
  }

  private connectionOf(client: string): number {
    if (!this.callers.includes(client)) this.callers.push(client);
    return this.callers.indexOf(client) + 1;
  }

  private say(call: Call, method: DescMethod, fake: FakeAnswer): void {
    const { answer, items, bytes, error, hang, cut, reset, statusless } = fake;
    const messages = (items ?? (answer === undefined ? [] : [answer])).map((item) => bytesOf(method, 'output', item));
    if (bytes !== undefined) messages.push(Buffer.from(bytes, 'base64'));
    let sent = 0;
    for (const message of messages) {
      call.write(message, () => {
        sent += 1;
        if (sent < messages.length) return;
        // The messages are on their way now: the end of the connection, or of the stream, follows them.
        if (cut) this.sockets.get(call.getPeer())?.end();
        if (reset) streamOf(call).close(constants.NGHTTP2_INTERNAL_ERROR);
        if (statusless) endWithoutStatus(streamOf(call));
      });
    }
    if (error) call.emit('error', errorOf(error));
    else if (!hang && !cut && !reset && !statusless) call.end();
  }
}

/** grpc-js has no way to reset a stream: it is in a private field. */
function streamOf(call: Call): ServerHttp2Stream {
  return (call as unknown as { readonly call: { readonly stream: ServerHttp2Stream } }).call.stream;
}

function endWithoutStatus(stream: ServerHttp2Stream): void {
  stream.once('wantTrailers', () => stream.sendTrailers({}));
  stream.end();
}

function errorOf(received: FakeError) {
  const { code, message = 'as the scenario says' } = received;
  const metadata = new Metadata();
  const details =
    received.details === undefined ? detailsOf(received, message) : Buffer.from(received.details, 'base64');
  if (details.length > 0) metadata.set('grpc-status-details-bin', details);
  return Object.assign(new Error(message), { code: status[code], details: message, metadata });
}

function detailsOf(
  { code, reason, metadata = {}, violations, retry_delay_ms: delayMs }: FakeError,
  message: string,
): Buffer {
  const details = [
    ...(reason === undefined
      ? []
      : [detail('ErrorInfo', ErrorInfo.encode({ reason, domain: 'mneme.dev', metadata: { ...metadata } }).finish())]),
    ...(violations === undefined
      ? []
      : [
          detail(
            'BadRequest',
            BadRequest.encode(BadRequest.fromPartial({ fieldViolations: [...violations] })).finish(),
          ),
        ]),
    ...(delayMs === undefined
      ? []
      : [
          detail(
            'RetryInfo',
            RetryInfo.encode({
              retryDelay: { seconds: BigInt(Math.floor(delayMs / 1000)), nanos: (delayMs % 1000) * 1_000_000 },
            }).finish(),
          ),
        ]),
  ];
  if (details.length === 0) return Buffer.alloc(0);
  return Buffer.from(Status.encode({ code: status[code], message, details }).finish());
}

function detail(type: string, value: Uint8Array) {
  return { typeUrl: `type.googleapis.com/google.rpc.${type}`, value: Buffer.from(value) };
}
