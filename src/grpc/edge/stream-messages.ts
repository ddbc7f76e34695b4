import { Metadata, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js';
import type { BoxedRequest } from './boxed-request.ts';
import type { Codec } from './codec.ts';
import { drained } from './drained.ts';
import type { Edge } from './edge.ts';
import { taken } from './mapped.ts';
import type { ServedCall } from './served-call.ts';
import { receive, sendable } from './sized-messages.ts';

/** A stream on which answers go out. */
export type Outgoing = ServerWritableStream<BoxedRequest, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** The answers of a stream; those that are encoded already go out as they are. */
export type Served<A> = AsyncIterable<A | Buffer> | Promise<AsyncIterable<A | Buffer>>;

/** The messages of a caller, one by one. */
export async function* receiveAll<Q>(
  codec: Codec<Q>,
  transport: ServerDuplexStream<Buffer, Buffer>,
  edge: Edge,
  served: ServedCall,
): AsyncGenerator<Q> {
  for await (const bytes of arriving(transport)) yield await receive(codec, bytes, edge, served);
}

/**
 * As the stream's own iterator, but for leaving the stream alone when the reader stops or the call fails: destroyed with an
 * answer still on its way, it would keep the status from the caller.
 */
async function* arriving(transport: ServerDuplexStream<Buffer, Buffer>): AsyncGenerator<Buffer> {
  let wake = () => {};
  let isEnded = false;
  let failure: { readonly error: unknown } | undefined;
  const stir = () => wake();
  const end = () => {
    isEnded = true;
    wake();
  };
  const fail = (error: unknown) => {
    failure ??= { error };
    wake();
  };
  const close = () => {
    if (!isEnded) fail(new Error('the stream was closed before its end'));
  };
  transport.on('readable', stir).on('end', end).on('error', fail).on('close', close);
  try {
    for (;;) {
      const bytes = transport.read() as Buffer | null;
      if (failure) throw failure.error;
      if (bytes !== null) yield bytes;
      else if (isEnded) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    transport.off('readable', stir).off('end', end).off('error', fail).off('close', close);
  }
}

/** Headers go out at once, and nothing more than the reader keeps up with. */
export async function sendAll<A>(
  transport: Outgoing,
  answers: Served<A>,
  codec: Codec<A>,
  edge: Edge,
  served: ServedCall,
): Promise<void> {
  transport.sendMetadata(new Metadata());
  const messages = (await answers)[Symbol.asyncIterator]();
  const send = (next: IteratorResult<A | Buffer>): boolean | Promise<boolean> => {
    if (next.done === true || served.isEnded) return false;
    return (
      transport.write(sendable(codec, taken(next), edge, served)) || drained(transport, edge, served).then(() => true)
    );
  };
  try {
    // No `for await`: its variable would keep an answer, and what that was made of, until the next one comes.
    for (let isOn = true; isOn; ) isOn = await messages.next().then(send);
  } finally {
    await messages.return?.();
  }
  if (served.isEnded) return;
  transport.end();
  served.succeed();
}
