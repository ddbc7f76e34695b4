import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../logger.ts';
import type { Channel } from './calls/in-process-channel.ts';

/** A part of what is served over HTTP/1.1. */
export interface Mount {
  /** Addresses that `/` lists, by what is there. */
  readonly links?: Readonly<Record<string, string>>;
  /** Resolves to whether it has answered the request, or will; otherwise the next one is asked. */
  handle(request: IncomingMessage, response: ServerResponse, url: URL): boolean | Promise<boolean>;
  /** Ends its open streams and sessions when the server stops. */
  close?(): Promise<void>;
}

/** What a part of another room gets from the server that serves it. */
export interface MountHost {
  /** The API in this process, with the credentials of a request. */
  readonly channelFor: (caller: IncomingMessage) => Channel;
  readonly logger: Logger;
}

export type NewMount = (host: MountHost) => Mount;

/** Answers with JSON, in lines that a person reads in a terminal. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = `${JSON.stringify(body, undefined, 2)}\n`;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}

/** An error as the Connect protocol has it, for requests that reach no method. */
export function sendError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, status, { code, message }, headers);
}

/** A sentence for requests that are of no protocol, or of the wrong one. */
export function sendText(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = `${message}\n`;
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(text), ...headers });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
