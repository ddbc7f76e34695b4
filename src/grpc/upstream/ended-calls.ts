import { EventEmitter } from 'node:events';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { ServerUnaryCall } from '@grpc/grpc-js';

/*
 * From Node 24 on each writable stream has a function (`WritableState.onwrite`) that V8 makes among its old objects, as it
 * does with every function literal that is assigned to a property. Nothing but a full collection frees it, nor what it
 * refers to: the stream, and from there the whole call. Of a call that has ended, these links are cut.
 */

const ignore = (): void => undefined;

const { removeAllListeners, on } = EventEmitter.prototype;

/** Where a stream of Node keeps the headers that it has sent. */
const HEADERS = new Set(['sent-headers', 'sent-trailers']);
let headerSymbols: readonly symbol[] = [];

/** Not by the methods of the stream itself, which look anew at what it is to read. */
function cutClosed(this: ServerHttp2Stream): void {
  removeAllListeners.call(this);
  on.call(this, 'error', ignore);
  if (headerSymbols.length < HEADERS.size) headerSymbols = headerSymbolsOf(this);
  const fields = this as unknown as Record<symbol, unknown>;
  for (const symbol of headerSymbols) fields[symbol] = undefined;
}

function headerSymbolsOf(stream: object): symbol[] {
  return Object.getOwnPropertySymbols(stream).filter(({ description = '' }) => HEADERS.has(description));
}

/** To be called for each new connection. grpc-js adds its listeners first, so it sees the end of a stream before they are removed. */
export function cutClosedStreams(session: ServerHttp2Session): void {
  session.on('stream', (stream) => void stream.on('close', cutClosed));
}

interface Internals {
  call: unknown;
  metadata: unknown;
  request: unknown;
}

const GONE = { getPeer: () => '' };

/** grpc-js gives each unary call a writable stream too. To be called when nothing more is asked of it. */
export function cutDone(transport: ServerUnaryCall<unknown, unknown>): void {
  const internals = transport as unknown as Internals;
  internals.call = GONE;
  internals.metadata = undefined;
  internals.request = undefined;
  transport.removeAllListeners();
  transport.on('error', ignore);
}
