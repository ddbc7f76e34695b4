import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DescMethod, Registry } from '@bufbuild/protobuf';
import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import type { CallMeter } from '../../grpc/edge/edge.ts';
import { type Failure, failureOf } from '../../grpc/edge/status.ts';
import type { CallWaits } from '../../grpc/upstream/call-waits.ts';
import { unknownMethod } from '../../grpc/upstream/unknown-method.ts';
import { type Mount, sendError, sendJson, sendText } from '../mount.ts';
import { errorBody } from './error-body.ts';
import { binary, ConnectStream, ConnectUnary, GrpcWeb, jsonOf, type StreamFormat } from './formats.ts';
import { type Arrived, HttpStreamCall, HttpUnaryCall } from './http-calls.ts';
import type { Method, MethodTable } from './method-table.ts';
import { decoded, opened, readBody } from './request-body.ts';

/** Types of messages, as methods take and return them. */
export interface Types {
  readonly registry: Registry;
  /** `package.Service/Method`. */
  methodOf(path: string): DescMethod | undefined;
}

export interface CallParts {
  readonly methods: MethodTable;
  readonly types: () => Promise<Types>;
  readonly waits: CallWaits;
  readonly meter: () => CallMeter | undefined;
  readonly maxRequestBytes: number;
  /** The status of an error of the transport. */
  readonly failureOf: (error: MnemeError) => Failure;
}

/** A message takes more bytes in JSON than in binary. */
const JSON_SHARE = 1.5;
const ENVELOPE_BYTES = 5;

const PATH = /^\/([\w.]+)\/(\w+)$/;
const CONTENT_TYPE =
  /^application\/(connect\+|grpc-web\+)?(json|proto)(?:; ?charset=(?:"utf-8"|utf-8))?$|^application\/(grpc-web)$/i;
const ACCEPTED =
  'application/json, application/proto, application/connect+json, application/connect+proto, ' +
  'application/grpc-web, application/grpc-web+proto, application/grpc-web+json';

type Protocol = 'connect' | 'connect-stream' | 'grpc-web';

interface Asked {
  readonly protocol: Protocol;
  readonly isJson: boolean;
}

/** Calls by the Connect protocol and by gRPC-Web. Each is served by the handler that serves it over gRPC. */
export class CallMount implements Mount {
  private readonly parts: CallParts;

  constructor(parts: CallParts) {
    this.parts = parts;
  }

  handle(request: IncomingMessage, response: ServerResponse, { pathname }: URL): boolean | Promise<boolean> {
    const [, service, name] = PATH.exec(pathname) ?? [];
    if (service === undefined || name === undefined) return false;
    const method = this.parts.methods.find(pathname);
    if (!method && request.method !== 'POST') return false;
    return this.serve(pathname, method, request, response);
  }

  private async serve(
    path: string,
    method: Method | undefined,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<true> {
    const asked = askedBy(request.headers['content-type']);
    if (method && request.method !== 'POST') {
      request.resume();
      const message = `${path} is a method: call it by POST, as in curl -H 'content-type: application/json' -d '{}' URL`;
      sendText(response, 405, message, { allow: 'POST' });
    } else if (!asked) {
      refuseType(request, response);
    } else if (!method) {
      this.refuseMethod(path, response, asked, await this.parts.types());
      request.resume();
    } else if (method.kind === 'bidi') {
      request.resume();
      refuseBidi(path, response, asked);
    } else if (asked.protocol !== 'grpc-web' && (method.kind === 'unary') !== (asked.protocol === 'connect')) {
      request.resume();
      const type = method.kind === 'unary' ? 'application/json or proto' : 'application/connect+json or connect+proto';
      const kind = method.kind === 'unary' ? 'one message' : 'a stream of messages';
      const message = `${path} answers with ${kind}: its content type is ${type}`;
      sendText(response, 415, message, { 'accept-post': ACCEPTED });
    } else {
      await this.call(path, method, asked, request, response);
    }
    return true;
  }

  private async call(
    path: string,
    method: Exclude<Method, { kind: 'bidi' }>,
    asked: Asked,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const deadlineAtMs = deadlineOf(request, asked.protocol);
    const { waits, types, failureOf } = this.parts;
    const [received, known] = await Promise.all([this.receive(request, asked), types()]);
    if (received === undefined) return;
    const body = deadlineAtMs instanceof Error ? deadlineAtMs : (versionFault(request) ?? received);
    const arrived: Arrived = {
      request,
      response,
      body,
      deadlineAtMs: deadlineAtMs instanceof Error ? Number.POSITIVE_INFINITY : deadlineAtMs,
      waits,
      failureOf,
    };
    const desc = asked.isJson ? known.methodOf(path.slice(1)) : undefined;
    const messages = desc ? jsonOf(desc, known.registry) : binary;
    if (method.kind === 'unary') {
      const format = asked.protocol === 'connect' ? new ConnectUnary(messages, known.registry) : new GrpcWeb(messages);
      const call = new HttpUnaryCall(arrived, format);
      method.handle(call, call.answer);
      return;
    }
    method.handle(new HttpStreamCall(arrived, streamFormatOf(asked, messages, known.registry)));
  }

  private async receive(request: IncomingMessage, { protocol, isJson }: Asked): Promise<Buffer | Error | undefined> {
    const { maxRequestBytes, waits } = this.parts;
    const bytesMax = isJson ? Math.ceil(maxRequestBytes * JSON_SHARE) : maxRequestBytes;
    const { headers } = request;
    if (protocol === 'connect') {
      const body = await readBody(request, bytesMax, waits);
      return body && decoded(body, headers['content-encoding'], bytesMax);
    }
    const encoding = headers[protocol === 'grpc-web' ? 'grpc-encoding' : 'connect-content-encoding'];
    const body = await readBody(request, bytesMax + ENVELOPE_BYTES, waits);
    return body && opened(body, encoding?.toString(), bytesMax);
  }

  private refuseMethod(path: string, response: ServerResponse, asked: Asked, { registry }: Types): void {
    const { meter } = this.parts;
    meter()?.callStarted('other');
    const failure = this.parts.failureOf(unknownMethod(path));
    if (asked.protocol === 'grpc-web') new GrpcWeb(binary).refuse(response, failure);
    else sendJson(response, 404, errorBody(failure, registry));
    meter()?.callEnded('other', 'UNIMPLEMENTED', { isStream: false, durationMs: 0, sentBytes: 0, receivedBytes: 0 });
  }
}

function streamFormatOf({ protocol }: Asked, messages: typeof binary, registry: Registry): StreamFormat {
  return protocol === 'grpc-web' ? new GrpcWeb(messages) : new ConnectStream(messages, registry);
}

function askedBy(contentType = ''): Asked | undefined {
  const match = CONTENT_TYPE.exec(contentType);
  if (!match) return undefined;
  const [, prefix = '', encoding = 'proto', web] = match;
  const isJson = encoding.toLowerCase() === 'json';
  if (web !== undefined || /^grpc-web/i.test(prefix)) return { protocol: 'grpc-web', isJson };
  return { protocol: prefix === '' ? 'connect' : 'connect-stream', isJson };
}

function refuseType(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  const type = request.headers['content-type'] ?? '';
  const message = /^application\/grpc(?!-web)/i.test(type)
    ? 'gRPC is served over HTTP/2 alone, on this address too'
    : `the content type is ${JSON.stringify(type.slice(0, 100))}: send -H 'content-type: application/json', or another of ${ACCEPTED}`;
  sendText(response, 415, message, { 'accept-post': ACCEPTED });
}

/** HTTP/1.1 answers when a request has ended. */
function refuseBidi(path: string, response: ServerResponse, asked: Asked): void {
  const message = `${path} has a stream of requests: it is called by gRPC, on this address too`;
  if (asked.protocol !== 'grpc-web') {
    sendError(response, 505, 'unimplemented', message);
    return;
  }
  new GrpcWeb(binary).refuse(response, failureOf(new MnemeError('METHOD_UNKNOWN', message), ''));
}

function versionFault({ headers }: IncomingMessage): Error | undefined {
  const version = headers['connect-protocol-version'];
  if (version === undefined || version === '1') return undefined;
  return invalidFields([{ field: 'connect-protocol-version', description: 'must be 1' }]);
}

const UNITS_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000_001 };

/** `Infinity` where the caller sets none. */
function deadlineOf({ headers }: IncomingMessage, protocol: Protocol): number | Error {
  const name = protocol === 'grpc-web' ? 'grpc-timeout' : 'connect-timeout-ms';
  const timeout = headers[name];
  if (timeout === undefined) return Number.POSITIVE_INFINITY;
  const [, digits, unit = 'm'] =
    (protocol === 'grpc-web' ? /^(\d{1,8})([HMSmun])$/ : /^(\d{1,10})$/).exec(String(timeout)) ?? [];
  const shape = protocol === 'grpc-web' ? 'up to 8 digits and one of H, M, S, m, u, n' : 'up to 10 digits';
  if (digits === undefined) return invalidFields([{ field: name, description: `must be ${shape}` }]);
  return Date.now() + Number(digits) * (UNITS_MS[unit] ?? 1);
}
