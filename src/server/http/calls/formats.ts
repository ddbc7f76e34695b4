import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { DescMethod, Registry } from '@bufbuild/protobuf';
import type { Metadata } from '@grpc/grpc-js';
import type { Failure } from '../../grpc/edge/status.ts';
import { errorBody, httpStatusOf } from './error-body.ts';
import { bytesOfJson, jsonOfBytes } from './json-messages.ts';

/** How the messages of a method are written; the bytes of its messages are those of gRPC. */
export interface MessageFormat {
  readonly name: 'proto' | 'json';
  decode(body: Buffer): Buffer;
  encode(bytes: Buffer): Buffer;
}

const same = (bytes: Buffer): Buffer => bytes;

export const binary: MessageFormat = { name: 'proto', decode: same, encode: same };

export function jsonOf({ input, output }: DescMethod, registry: Registry): MessageFormat {
  return {
    name: 'json',
    decode: (body) => bytesOfJson(input, body, registry),
    encode: (bytes) => Buffer.from(JSON.stringify(jsonOfBytes(output, bytes, registry))),
  };
}

/** How a protocol answers a call. */
export interface AnswerFormat {
  readonly messages: MessageFormat;
  /** The whole answer of a unary call. */
  answer(
    response: ServerResponse,
    message: Buffer,
    headers: Metadata | undefined,
    trailers: Metadata | undefined,
  ): void;
  /** The status of a unary call that failed. */
  refuse(response: ServerResponse, failure: Failure, headers: Metadata | undefined): void;
}

/** How a protocol answers with messages in envelopes, each a flag, a length and bytes. */
export interface StreamFormat extends AnswerFormat {
  readonly contentType: string;
  /** The last envelope, with the status of the call; absent: it has succeeded. */
  last(failure: Failure | undefined, trailers: Metadata | undefined): Buffer;
}

/** Unary calls of the Connect protocol: a message, or an error, is a body. */
export class ConnectUnary implements AnswerFormat {
  readonly messages: MessageFormat;
  private readonly registry: Registry;

  constructor(messages: MessageFormat, registry: Registry) {
    this.messages = messages;
    this.registry = registry;
  }

  answer(response: ServerResponse, message: Buffer, headers?: Metadata, trailers?: Metadata): void {
    const { name } = this.messages;
    const body = name === 'json' ? Buffer.concat([message, NEW_LINE]) : message;
    response.writeHead(200, {
      ...headersOf(headers),
      ...headersOf(trailers, 'trailer-'),
      'content-type': `application/${name}`,
      'content-length': body.length,
    });
    response.end(body);
  }

  refuse(response: ServerResponse, failure: Failure, headers?: Metadata): void {
    const status = httpStatusOf(failure);
    const body = Buffer.from(`${JSON.stringify(errorBody(failure, this.registry))}\n`);
    response.writeHead(status, {
      ...headersOf(headers),
      ...headersOf(failure.metadata),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
      'content-type': 'application/json',
      'content-length': body.length,
    });
    response.end(body);
  }
}

const NEW_LINE = Buffer.from('\n');

/** Streams of the Connect protocol, which end with an envelope of JSON. */
export class ConnectStream implements StreamFormat {
  readonly messages: MessageFormat;
  readonly contentType: string;
  private readonly registry: Registry;

  constructor(messages: MessageFormat, registry: Registry) {
    this.messages = messages;
    this.contentType = `application/connect+${messages.name}`;
    this.registry = registry;
  }

  answer(response: ServerResponse, message: Buffer, headers?: Metadata, trailers?: Metadata): void {
    endStream(response, this, headers, [envelope(0, message), this.last(undefined, trailers)]);
  }

  refuse(response: ServerResponse, failure: Failure, headers?: Metadata): void {
    endStream(response, this, headers, [this.last(failure, undefined)]);
  }

  last(failure: Failure | undefined, trailers: Metadata | undefined): Buffer {
    const metadata = { ...headersOf(trailers), ...headersOf(failure?.metadata) };
    const end = {
      ...(failure && { error: errorBody(failure, this.registry) }),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    };
    return envelope(END_OF_STREAM, Buffer.from(JSON.stringify(end)));
  }
}

const END_OF_STREAM = 2;

/** Calls of gRPC-Web, which end with an envelope of trailers. */
export class GrpcWeb implements StreamFormat {
  readonly messages: MessageFormat;
  readonly contentType: string;

  constructor(messages: MessageFormat) {
    this.messages = messages;
    this.contentType = `application/grpc-web+${messages.name}`;
  }

  answer(response: ServerResponse, message: Buffer, headers?: Metadata, trailers?: Metadata): void {
    endStream(response, this, headers, [envelope(0, message), this.last(undefined, trailers)]);
  }

  refuse(response: ServerResponse, failure: Failure, headers?: Metadata): void {
    endStream(response, this, headers, [this.last(failure, undefined)]);
  }

  last(failure: Failure | undefined, trailers: Metadata | undefined): Buffer {
    const { code = 0, details = '' } = failure ?? {};
    const fields: [string, unknown][] = [
      ['grpc-status', code],
      ...(details === '' ? [] : [['grpc-message', encodeURI(details)] as [string, unknown]]),
      ...Object.entries({ ...trailers?.toHttp2Headers(), ...failure?.metadata.toHttp2Headers() }),
    ];
    const lines = fields.flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${String(value)}\r\n`));
    return envelope(TRAILERS, Buffer.from(lines.join('')));
  }
}

const TRAILERS = 0x80;
const ENVELOPE_BYTES = 5;

export function envelope(flag: number, message: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(ENVELOPE_BYTES + message.length);
  bytes.writeUInt8(flag, 0);
  bytes.writeUInt32BE(message.length, 1);
  message.copy(bytes, ENVELOPE_BYTES);
  return bytes;
}

export function beginStream(
  response: ServerResponse,
  { contentType }: StreamFormat,
  headers: Metadata | undefined,
): void {
  response.writeHead(200, { ...headersOf(headers), 'content-type': contentType });
}

function endStream(
  response: ServerResponse,
  format: StreamFormat,
  headers: Metadata | undefined,
  envelopes: readonly Buffer[],
): void {
  beginStream(response, format, headers);
  response.end(Buffer.concat(envelopes));
}

/** Metadata of a call as headers; those of gRPC itself are left out. */
function headersOf(metadata: Metadata | undefined, prefix = ''): OutgoingHttpHeaders {
  if (!metadata) return NONE;
  const entries = Object.entries(metadata.toHttp2Headers()).filter(([name]) => !name.startsWith('grpc-'));
  return Object.fromEntries(entries.map(([name, values]) => [prefix + name, values]));
}

const NONE: OutgoingHttpHeaders = {};
