import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Writable } from 'node:stream';

interface Internals {
  readonly call?: { readonly stream?: ServerHttp2Stream };
}

/** The stream of HTTP/2 under a call of grpc-js, which has it in a private field; undefined when it is not there. */
export function http2StreamOf(transport: object): ServerHttp2Stream | undefined {
  return (transport as Internals).call?.stream;
}

/** grpc-js has no way to reset a stream from the server; over another transport the stream is its own. */
export function resetStream(transport: Writable): void {
  const stream = http2StreamOf(transport);
  if (!stream) transport.destroy();
  else if (!stream.closed) stream.close(constants.NGHTTP2_CANCEL);
}
