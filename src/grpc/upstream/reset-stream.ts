import type { Writable } from 'node:stream';

interface Internals {
  readonly call?: { readonly nextCall?: { readonly stream?: { close(code: number): void; readonly closed: boolean } } };
}

const CANCEL = 8;

/** grpc-js has no way to reset a stream from the server, hence the private fields; without them it stays as it is. */
export function resetStream(transport: Writable): void {
  const stream = (transport as unknown as Internals).call?.nextCall?.stream;
  if (stream && !stream.closed) stream.close(CANCEL);
}
