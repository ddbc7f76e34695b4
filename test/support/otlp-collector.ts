import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentId: string;
  /** `tracestate`; empty where there is none. */
  readonly state: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** 2 for an error. */
  readonly statusCode: number;
}

/** A collector of traces: takes OTLP as protobuf over HTTP, and decodes it. */
export class OtlpCollector {
  readonly spans: ReceivedSpan[] = [];
  readonly resources: Readonly<Record<string, unknown>>[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  /** Status of the answers. */
  status = 200;
  /** Bytes of all requests, as they came. */
  received = Buffer.alloc(0);
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
    const sent = Buffer.concat(pieces);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    this.requests.push({ path: request.url ?? '', headers: request.headers });
    this.received = Buffer.concat([this.received, body]);
    if (this.status === 200) this.read(body);
    response.writeHead(this.status, { 'content-type': 'application/x-protobuf' }).end();
  }

  private read(body: Uint8Array): void {
    for (const resourceSpans of messagesOf(body, 1)) {
      for (const resource of messagesOf(resourceSpans, 1)) this.resources.push(attributesIn(resource, 1));
      for (const scopeSpans of messagesOf(resourceSpans, 2)) {
        for (const span of messagesOf(scopeSpans, 2)) this.spans.push(spanIn(span));
      }
    }
  }
}

type Value = Uint8Array | bigint;

/** Values of a message by number of the field. */
function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, readonly Value[]> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Value[]>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    const value =
      wireType === 2
        ? reader.bytes()
        : wireType === 1
          ? reader.fixed64()
          : wireType === 5
            ? reader.fixed32()
            : reader.uint64();
    fields.set(number, [...(fields.get(number) ?? []), value instanceof Uint8Array ? value : BigInt(value)]);
  }
  return fields;
}

function messagesOf(bytes: Uint8Array, number: number): readonly Uint8Array[] {
  return (fieldsOf(bytes).get(number) ?? []) as readonly Uint8Array[];
}

function spanIn(bytes: Uint8Array): ReceivedSpan {
  const fields = fieldsOf(bytes);
  const bytesAt = (number: number) => Buffer.from((fields.get(number)?.[0] as Uint8Array | undefined) ?? []);
  const numberAt = (number: number) => (fields.get(number)?.[0] as bigint | undefined) ?? 0n;
  return {
    traceId: bytesAt(1).toString('hex'),
    spanId: bytesAt(2).toString('hex'),
    parentId: bytesAt(4).toString('hex'),
    state: bytesAt(3).toString(),
    name: bytesAt(5).toString(),
    kind: Number(numberAt(6)),
    startNs: numberAt(7),
    endNs: numberAt(8),
    attributes: attributesIn(bytes, 9),
    statusCode: Number((fieldsOf(bytesAt(15)).get(3)?.[0] as bigint | undefined) ?? 0n),
  };
}

function attributesIn(bytes: Uint8Array, number: number): Record<string, unknown> {
  return Object.fromEntries(
    messagesOf(bytes, number).map((pair) => {
      const [key, value] = [messagesOf(pair, 1)[0], messagesOf(pair, 2)[0]];
      return [Buffer.from(key ?? []).toString(), valueIn(value ?? new Uint8Array())];
    }),
  );
}

/** A text, a truth value or a whole number. */
function valueIn(bytes: Uint8Array): unknown {
  const [entry] = fieldsOf(bytes);
  const [number, [value]] = entry ?? [0, []];
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  return number === 2 ? value === 1n : Number(value);
}
