import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import type { Call } from '../../../memory/call.ts';
import { invalidFields, MnemeError } from '../../../memory/errors.ts';
import { draining, type OpenStreams, type StreamKind } from '../../operations/streams/open-streams.ts';
import { resetStream } from '../upstream/reset-stream.ts';
import type { Codec } from './codec.ts';
import type { Edge, Presented } from './edge.ts';
import type { ServedCall } from './served-call.ts';
import { receive, sendable } from './sized-messages.ts';

/** A stream on which answers go out: the part of a call of grpc-js that is used. */
export type Outgoing = Writable &
  Presented &
  Pick<ServerDuplexStream<Buffer, Buffer>, 'getDeadline' | 'getPeer' | 'sendMetadata'>;

/** The answers of a stream; encoded ones are sent unchanged. */
export type Served<A> = AsyncIterable<A | Buffer> | Promise<AsyncIterable<A | Buffer>>;

/** The messages of a caller, one by one. */
export async function* receiveAll<Q extends object>(
  codec: Codec<Q>,
  transport: ServerDuplexStream<Buffer, Buffer>,
  edge: Edge,
  served: ServedCall,
): AsyncGenerator<Q> {
  let isFurther = false;
  for await (const bytes of arriving(transport)) {
    const message = await receive(codec, bytes, edge, served);
    served.permit(message, isFurther);
    // The call itself has been counted for its first message.
    if (isFurther && WRITING_STREAMS.has(served.method)) await served.allowMessage();
    isFurther = true;
    yield message;
  }
}

/** Streams whose every message is a write, and counts as one. */
const WRITING_STREAMS: ReadonlySet<string> = new Set([
  'mneme.v1.IngestService/IngestMemories',
  'mneme.v1.MemoryService/ImportMemories',
]);

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

/** Sends headers immediately, and then only as fast as the reader reads. */
export async function sendAll<A>(
  transport: Outgoing,
  answers: Served<A>,
  codec: Codec<A>,
  edge: Edge,
  served: ServedCall,
): Promise<void> {
  transport.sendMetadata(served.headers ?? new Metadata());
  const messages = (await answers)[Symbol.asyncIterator]();
  const send = (next: IteratorResult<A | Buffer>): boolean | Promise<boolean> => {
    if (next.done === true || served.isEnded) return false;
    return (
      transport.write(sendable(codec, taken(next), edge, served)) || drained(transport, edge, served).then(() => true)
    );
  };
  try {
    // No `for await`: its variable would retain an answer, and its source objects, until the next one.
    for (let isOn = true; isOn; ) isOn = await messages.next().then(send);
  } finally {
    await messages.return?.();
  }
  if (served.isEnded) return;
  transport.end();
  served.succeed();
}

/** Grace period for a slow consumer to receive SLOW_CONSUMER before the stream is reset. */
const LAST_WORD_MS = 5000;

/** Resolves when the reader has read the waiting messages; ends the call with SLOW_CONSUMER when it takes too long. */
async function drained(transport: Writable, edge: Edge, served: ServedCall): Promise<void> {
  const stallMs = edge.limits.maxStreamStallMs;
  const timer = setTimeout(() => {
    const metadata = served.stalled?.() ?? {};
    served.fail(
      new MnemeError('SLOW_CONSUMER', `the caller read nothing from the stream for ${stallMs} ms`, { metadata }),
    );
    // The status is queued behind unread messages: a caller that never reads would keep the stream open forever.
    setTimeout(() => resetStream(transport), LAST_WORD_MS).unref();
  }, stallMs);
  try {
    await once(transport, 'drain', served);
  } finally {
    clearTimeout(timer);
  }
}

export interface FirstMessageTerms {
  readonly streams: OpenStreams;
  /** Maximum wait: as long as for a stalled reader. */
  readonly maxStreamStallMs: number;
}

/**
 * The first message, which selects the stream's content; undefined where the caller ends without one. A stream without
 * a first message counts towards the caller's limit, and is closed after a while. Fails with FIELD_INVALID,
 * TOO_MANY_STREAMS, DRAINING.
 */
export async function firstMessage<Q>(
  source: AsyncIterator<Q>,
  kind: StreamKind,
  { streams, maxStreamStallMs }: FirstMessageTerms,
  call: Call,
): Promise<Q | undefined> {
  const leave = streams.enter(call.caller, kind);
  const { promise: end, reject } = Promise.withResolvers<never>();
  const description = `must be sent within ${maxStreamStallMs / 1000} s`;
  const timer = setTimeout(() => reject(invalidFields([{ field: 'start', description }])), maxStreamStallMs);
  const drain = (): void => reject(draining());
  streams.onDrain(drain);
  try {
    const first = await Promise.race([source.next(), end]);
    return first.done ? undefined : first.value;
  } finally {
    clearTimeout(timer);
    streams.offDrain(drain);
    leave();
  }
}

/**
 * Queue of a stream's outgoing messages: producers fill it, the stream empties it as fast as its reader reads.
 * Producers must keep it small.
 */
export class Outbox<T> {
  private items: T[] = [];
  private isFinished = false;
  private failure: { readonly error: unknown } | undefined;
  private wake: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly silenceMs: number;

  /** After `silenceMs` without an item the stream sends a heartbeat. */
  constructor(silenceMs: number) {
    this.silenceMs = silenceMs;
  }

  push(item: T): void {
    this.items.push(item);
    this.wake?.();
  }

  /** Ends the queue; messages already in it are still sent. */
  finish(): void {
    this.isFinished = true;
    this.wake?.();
  }

  /** Ends the stream with this error, after the queued messages. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.wake?.();
  }

  /** Yields all queued messages, repeatedly; an empty batch after a silence. Leaving the loop closes the queue. */
  async *batches(): AsyncGenerator<T[], void, undefined> {
    try {
      for (;;) {
        if (this.items.length === 0 && !this.isFinished && !this.failure) await this.change();
        if (this.items.length === 0 && this.failure) throw this.failure.error;
        if (this.items.length === 0 && this.isFinished) return;
        const batch = this.items;
        this.items = [];
        yield batch;
      }
    } finally {
      clearTimeout(this.timer);
    }
  }

  private change(): Promise<void> {
    return new Promise((resolve) => {
      // A literal assigned to the field would be one of V8's old objects at once, for each wait.
      const wake = () => {
        this.wake = undefined;
        resolve();
      };
      this.wake = wake;
      if (this.timer) this.timer.refresh();
      else this.timer = setTimeout(() => this.wake?.(), this.silenceMs);
    });
  }
}

/**
 * Extracts the message from an iterator result. An awaited promise is in V8's old generation, and would retain its
 * value, and the value's source objects, until the next full collection.
 */
function taken<T>(next: IteratorYieldResult<T>): T {
  const { value } = next;
  (next as { value: T | undefined }).value = undefined;
  return value;
}

/**
 * Maps each message of the source, and its error by `failing`. Not a generator: that would keep a
 * message until the next one comes, which for thousands of open streams is long.
 */
export function mapped<T, U>(
  source: AsyncIterable<T>,
  make: (message: T) => U,
  failing: (error: unknown) => unknown = (error) => error,
): AsyncIterable<U> {
  const made = (next: IteratorResult<T>): IteratorResult<U> =>
    next.done === true ? { done: true, value: undefined } : { done: false, value: make(taken(next)) };
  const failed = (error: unknown): never => {
    throw failing(error);
  };
  return {
    [Symbol.asyncIterator](): AsyncIterator<U> {
      const messages = source[Symbol.asyncIterator]();
      return {
        next: () => messages.next().then(made, failed),
        return: async () => {
          await messages.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

const NO_BYTES = Buffer.alloc(0);

/** grpc-js retains the request while its stream is open: the box is emptied when it is read. */
export class BoxedRequest {
  private bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  take(): Buffer {
    const { bytes } = this;
    this.bytes = NO_BYTES;
    return bytes;
  }
}

export const boxed = (bytes: Buffer): BoxedRequest => new BoxedRequest(bytes);
