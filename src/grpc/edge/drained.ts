import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { MnemeError } from '../../memory/errors.ts';
import type { Edge } from './edge.ts';
import type { ServedCall } from './served-call.ts';

/** Time that a reader who was too slow has to read that it was, before the stream is reset. */
const LAST_WORD_MS = 5000;

/** Resolves when the reader has taken what waits for it; ends the call with SLOW_CONSUMER when it takes too long. */
export async function drained(transport: Writable, edge: Edge, served: ServedCall): Promise<void> {
  const stallMs = edge.limits.maxStreamStallMs;
  const timer = setTimeout(() => {
    const metadata = served.stalled?.() ?? {};
    served.fail(new MnemeError('SLOW_CONSUMER', `nothing was read from the stream for ${stallMs} ms`, { metadata }));
    // The status waits behind what is not read: who never reads never gets it, and would hold the stream for ever.
    setTimeout(() => reset(transport), LAST_WORD_MS).unref();
  }, stallMs);
  try {
    await once(transport, 'drain', served);
  } finally {
    clearTimeout(timer);
  }
}

interface Internals {
  readonly call?: { readonly nextCall?: { readonly stream?: { close(code: number): void; readonly closed: boolean } } };
}

const CANCEL = 8;

/** grpc-js has no way to reset a stream from the server, hence the private fields; without them it stays as it is. */
function reset(transport: Writable): void {
  const stream = (transport as unknown as Internals).call?.nextCall?.stream;
  if (stream && !stream.closed) stream.close(CANCEL);
}
