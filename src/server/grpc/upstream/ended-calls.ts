import { EventEmitter } from 'node:events';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

/*
 * From Node 24 on each writable stream has a function (`WritableState.onwrite`) that V8 allocates in the old
 * generation, as every function literal assigned to a property. Only a full collection frees it and the objects that it
 * references: the stream, and through it the whole call. These links of an ended call are cut.
 */

const ignore = (): void => undefined;

const { removeAllListeners, on } = EventEmitter.prototype;

/** Where a stream of Node keeps the headers that it has sent. */
const HEADERS = new Set(['sent-headers', 'sent-trailers']);
let headerSymbols: readonly symbol[] = [];

/** Bypasses the methods of the stream, which would resume reading. */
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

/** grpc-js creates a writable stream for each unary call too. Call it when the transport is no longer used. */
export function cutDone(transport: EventEmitter): void {
  const internals = transport as unknown as Internals;
  internals.call = GONE;
  internals.metadata = undefined;
  internals.request = undefined;
  transport.removeAllListeners();
  transport.on('error', ignore);
}
