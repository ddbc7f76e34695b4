import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { type RequestOptions, request as requestTls } from 'node:https';
import { connect } from 'node:net';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface HttpOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Present: over TLS. */
  readonly tls?: Pick<RequestOptions, 'ca' | 'cert' | 'key'>;
  /** Of a server on a socket of the file system. */
  readonly socketPath?: string;
}

/** Begins a request over a connection of its own. */
export function beginRequest(address: string, path: string, options: HttpOptions = {}): ClientRequest {
  const { method = 'POST', headers = {}, tls, socketPath } = options;
  const at = { path, method, headers, agent: false, ...(socketPath ? { socketPath } : hostOf(address)) } as const;
  return tls ? requestTls({ ...at, ...tls }) : requestPlain(at);
}

export async function answerOf(request: ClientRequest): Promise<HttpAnswer> {
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

export function send(address: string, path: string, body: string | Buffer, options?: HttpOptions): Promise<HttpAnswer> {
  return answerOf(beginRequest(address, path, options).end(body));
}

export function get(address: string, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
  return send(address, path, '', { method: 'GET', ...options });
}

/** Sends JSON to a method, `Service/Method` of mneme.v1. */
export async function callJson(address: string, method: string, request: object, options: HttpOptions = {}) {
  const headers = { 'content-type': 'application/json', ...options.headers };
  const answer = await send(address, `/mneme.v1.${method}`, JSON.stringify(request), { ...options, headers });
  return { ...answer, json: JSON.parse(answer.body.toString()) as Record<string, unknown> };
}

/** Sends bytes as they are over a connection of their own; resolves to all that comes back until it is closed. */
export async function sendRaw(address: string, bytes: string | Buffer): Promise<string> {
  const socket = connect(hostOf(address)).on('error', () => undefined);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

export function hostOf(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
}

export interface Envelope {
  readonly flag: number;
  readonly data: Buffer;
}

export function envelopesIn(body: Buffer): Envelope[] {
  const found: Envelope[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + 5 + body.readUInt32BE(at + 1);
    found.push({ flag: body.readUInt8(at), data: body.subarray(at + 5, end) });
    at = end;
  }
  return found;
}

/** The trailers of gRPC-Web. */
export function trailersIn({ data }: Envelope): Record<string, string> {
  const lines = data.toString().split('\r\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
}
