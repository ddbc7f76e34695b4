import { Metadata, type ServerDuplexStream, type ServerWritableStream } from '@grpc/grpc-js';
import type { BoxedRequest } from './boxed-request.ts';
import type { Codec } from './codec.ts';
import { drained } from './drained.ts';
import type { Edge } from './edge.ts';
import type { ServedCall } from './served-call.ts';
import { receive, sendable } from './sized-messages.ts';

/** A stream on which answers go out. */
export type Outgoing = ServerWritableStream<BoxedRequest, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** The messages of a caller, one by one. */
export async function* receiveAll<Q>(
  codec: Codec<Q>,
  transport: ServerDuplexStream<Buffer, Buffer>,
  edge: Edge,
  served: ServedCall,
): AsyncGenerator<Q> {
  // Destroying the stream when the reader stops early would keep the status from the caller.
  const messages: AsyncIterable<Buffer> = transport.iterator({ destroyOnReturn: false });
  for await (const bytes of messages) yield await receive(codec, bytes, edge, served);
}

/** Headers go out at once, and nothing more than the reader keeps up with. */
export async function sendAll<A>(
  transport: Outgoing,
  answers: AsyncIterable<A | Buffer>,
  codec: Codec<A>,
  edge: Edge,
  served: ServedCall,
): Promise<void> {
  transport.sendMetadata(new Metadata());
  for await (const answer of answers) {
    if (served.isEnded) return;
    if (!transport.write(sendable(codec, answer, edge, served))) await drained(transport, edge, served);
  }
  if (served.isEnded) return;
  transport.end();
  served.succeed();
}
