/**
 * The server of the conformance suite of Connect, behind the transport of Mneme: reads what to serve from standard input, and
 * writes where it does to standard output, each with its length before it.
 */
import { readFileSync, readSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { status as Code, Metadata } from '@grpc/grpc-js';
import { Status } from '../../../../gen/ts/google/rpc/status.ts';
import { MnemeError } from '../../../../src/memory/errors.ts';
import { Health } from '../../../../src/server/grpc/admin/health-service.ts';
import { Edge } from '../../../../src/server/grpc/edge/edge.ts';
import type { Methods, StreamTransport, UnaryTransport } from '../../../../src/server/grpc/edge/handler.ts';
import { type Failure, failureOf } from '../../../../src/server/grpc/edge/status.ts';
import { HttpStreamCall } from '../../../../src/server/http/calls/http-calls.ts';
import { ServerPort } from '../../../../src/server/http/server-port.ts';
import { createLogger } from '../../../../src/server/logger.ts';

const [image = ''] = process.argv.slice(2);
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(image)));
const PACKAGE = 'connectrpc.conformance.v1';
const SERVICE = `${PACKAGE}.ConformanceService`;

interface Header {
  readonly name: string;
  readonly value?: readonly string[];
}

/** In JSON, as all messages here. */
interface Definition {
  readonly responseHeaders?: readonly Header[];
  readonly responseTrailers?: readonly Header[];
  readonly responseDelayMs?: number;
  readonly responseData?: string | readonly string[];
  readonly error?: { readonly code?: string; readonly message?: string; readonly details?: readonly JsonValue[] };
}

function typeOf(name: string): DescMessage {
  const type = registry.getMessage(name.includes('.') ? name : `${PACKAGE}.${name}`);
  if (!type) throw new Error(`the image has no message ${name}`);
  return type;
}

function bytesOf(name: string, json: JsonValue): Buffer {
  return Buffer.from(toBinary(typeOf(name), fromJson(typeOf(name), json, { registry })));
}

function readInput(byteCount: number): Buffer {
  const bytes = Buffer.alloc(byteCount);
  for (let at = 0; at < byteCount; ) at += readSync(0, bytes, at, byteCount - at, null);
  return bytes;
}

const asked = toJson(
  typeOf('ServerCompatRequest'),
  fromBinary(typeOf('ServerCompatRequest'), readInput(readInput(4).readUInt32BE())),
) as {
  readonly useTls?: boolean;
  readonly clientTlsCert?: string;
  readonly messageReceiveLimit?: number;
  readonly serverCreds?: { readonly cert?: string; readonly key?: string };
};
const bytesMax = asked.messageReceiveLimit ?? 4_194_304;

function metadataOf(headers: readonly Header[] = [], metadata = new Metadata()): Metadata {
  for (const { name, value = [] } of headers) {
    for (const each of value) metadata.add(name, name.endsWith('-bin') ? Buffer.from(each, 'base64') : each);
  }
  return metadata;
}

/** What the server has received, for the answer. */
function infoOf(call: UnaryTransport | StreamTransport, request: JsonValue) {
  const requestHeaders = Object.entries(call.metadata.toHttp2Headers()).map(([name, value]) => ({
    name,
    value: [value].flat().map(String),
  }));
  const deadline = Number(call.getDeadline());
  const timeoutMs = Number.isFinite(deadline) ? { timeoutMs: String(Math.round(deadline - Date.now())) } : {};
  return { requestHeaders, requests: [request], ...timeoutMs };
}

/** The request as JSON within Any. */
function received(type: DescMessage, read: () => Buffer): { readonly any: JsonValue; readonly definition: Definition } {
  const bytes = read();
  if (bytes.length > bytesMax) throw new MnemeError('MESSAGE_TOO_LARGE', 'the request is too large');
  const json = toJson(type, fromBinary(type, bytes), { registry }) as JsonObject;
  const any = { '@type': `type.googleapis.com/${type.typeName}`, ...json };
  return { any, definition: (json.responseDefinition ?? {}) as Definition };
}

function failureFor({ error, responseTrailers }: Definition, info: readonly JsonValue[]): Failure {
  const code = Code[(error?.code ?? '').replace(/^CODE_/, '').replace('CANCELED', 'CANCELLED') as keyof typeof Code];
  const message = error?.message ?? '';
  const all = [...(error?.details ?? []), ...info].map((detail) => bytesOf('google.protobuf.Any', detail));
  const details = all.map((bytes) => {
    const { typeUrl, value } = fromBinary(typeOf('google.protobuf.Any'), bytes) as unknown as {
      readonly typeUrl: string;
      readonly value: Uint8Array;
    };
    return { typeUrl, value: Buffer.from(value) };
  });
  const metadata = metadataOf(responseTrailers);
  metadata.set('grpc-status-details-bin', Buffer.from(Status.encode({ code, message, details }).finish()));
  return { code, details: message, metadata };
}

/** The suite expects statuses of the transport without details, which those of Mneme have. */
function plain({ code, details }: Failure): Failure {
  return { code, details, metadata: new Metadata() };
}

function anyOfInfo(info: JsonValue): JsonValue {
  const type = `type.googleapis.com/${PACKAGE}.ConformancePayload.RequestInfo`;
  return { '@type': type, ...(info as object) };
}

function mount(methods: Methods): void {
  for (const name of ['Unary', 'IdempotentUnary']) {
    methods.unary(`/${SERVICE}/${name}`, (call, answer) => {
      const serve = async () => {
        const { any, definition } = received(typeOf(`${name}Request`), () => call.request);
        const info = infoOf(call, any) as JsonValue;
        await delay(definition.responseDelayMs ?? 0);
        call.sendMetadata(metadataOf(definition.responseHeaders));
        if (definition.error) answer(failureFor(definition, [anyOfInfo(info)]));
        else {
          const data = definition.responseData ?? '';
          const message = bytesOf(`${name}Response`, { payload: { data, requestInfo: info } } as JsonValue);
          answer(null, message, metadataOf(definition.responseTrailers));
        }
      };
      serve().catch((error: unknown) => answer(plain(failureOf(error, ''))));
    });
  }
  methods.unary(`/${SERVICE}/Unimplemented`, (_, answer) =>
    answer({ code: Code.UNIMPLEMENTED, details: 'the method is not implemented', metadata: new Metadata() }),
  );
  methods.serverStream(`/${SERVICE}/ServerStream`, (call) => {
    const serve = async () => {
      const { any, definition } = received(typeOf('ServerStreamRequest'), () => call.request.take());
      const info = infoOf(call, any) as JsonValue;
      call.sendMetadata(metadataOf(definition.responseHeaders));
      const all = [definition.responseData ?? []].flat();
      for (const [at, data] of all.entries()) {
        await delay(definition.responseDelayMs ?? 0);
        const payload = { data, ...(at === 0 && { requestInfo: info }) };
        call.write(bytesOf('ServerStreamResponse', { payload }));
      }
      if (definition.error) {
        call.emit('error', failureFor(definition, all.length === 0 ? [anyOfInfo(info)] : []));
        return;
      }
      if (call instanceof HttpStreamCall) call.trailers = metadataOf(definition.responseTrailers);
      call.end();
    };
    serve().catch((error: unknown) => call.emit('error', plain(failureOf(error, ''))));
  });
  for (const name of ['ClientStream', 'BidiStream']) methods.bidi(`/${SERVICE}/${name}`, (call) => call.end());
}

const limits = {
  maxCallsInFlight: 1000,
  maxEventLoopLagMs: 0,
  maxRequestBytes: bytesMax,
  maxResponseBytes: 16_777_216,
  defaultDeadlineMs: 60_000,
  maxDeadlineMs: 60_000,
  maxStreamStallMs: 30_000,
};
const settings = {
  ...limits,
  maxConcurrentStreams: 100,
  http2WindowBytes: 4_194_304,
  keepaliveTimeMs: 30_000,
  keepaliveTimeoutMs: 10_000,
  keepaliveMinMs: 0,
  connectionsMax: 1000,
  connectionsPerAddressMax: 1000,
  maxHandshakeMs: 10_000,
  maxRequestWaitMs: 30_000,
  maxConnectionAgeMs: 0,
  maxConnectionAgeGraceMs: 30_000,
  http: 'on' as const,
  httpOrigins: [],
};
const logger = createLogger({ logLevel: 'error', logFormat: 'json' }, { write: (line: string) => writeSync(2, line) });
const port = new ServerPort(settings, {
  edge: new Edge({ limits, logger }),
  health: new Health([]),
  routes: [mount],
  failureOf: (error) => plain(failureOf(error, '')),
  types: async () => ({
    registry,
    methodOf: (path) => registry.getService(SERVICE)?.methods.find(({ name }) => path.endsWith(`/${name}`)),
  }),
});
const { useTls, clientTlsCert, serverCreds } = asked;
const decoded = (text = ''): Buffer => Buffer.from(text, 'base64');
const tls = useTls && {
  cert: decoded(serverCreds?.cert),
  key: decoded(serverCreds?.key),
  ...(clientTlsCert && { clientCa: decoded(clientTlsCert) }),
};
const address = await port.listen('127.0.0.1:0', tls || undefined);
const answer = bytesOf('ServerCompatResponse', {
  host: '127.0.0.1',
  port: Number(address.split(':')[1]),
  ...(useTls && { pemCert: serverCreds?.cert ?? '' }),
});
const length = Buffer.alloc(4);
length.writeUInt32BE(answer.length);
writeSync(1, Buffer.concat([length, answer]));
process.on('SIGTERM', () => void port.stop(0).then(() => process.exit(0)));
