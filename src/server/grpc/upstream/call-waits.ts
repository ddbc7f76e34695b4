import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Timers } from '../../../memory/clock.ts';
import { MnemeError } from '../../../memory/errors.ts';
import { type Wait, Waits } from '../../../memory/waits.ts';
import { type AwaitedCalls, overloaded } from '../edge/edge.ts';
import { type Failure, failureOf } from '../edge/status.ts';
import { http2StreamOf } from './reset-stream.ts';

export interface CallWaitLimits {
  readonly maxCallsInFlight: number;
  /** From the headers of a call to the end of its request. */
  readonly maxRequestWaitMs: number;
  /** From the end of a call until its caller has read the answer. */
  readonly maxStreamStallMs: number;
}

/** Calls whose requests are awaited although the limit of calls in flight is reached: they may be of the health. */
const AWAITED_MIN = 64;

/** Rate below which a caller reads too slowly, in bytes per second. */
const READ_RATE_MIN = 65_536;

/** A call whose request is awaited, or whose answer is being read. */
export interface AwaitedCall {
  /** How often it may still exceed its time, for the size of its answer. */
  extensions: number;
  /** Ends it with the error, where nothing has been sent yet. */
  refuse(error: MnemeError): void;
  cut(): void;
  /** It waits once more. */
  renew(wait: Wait<AwaitedCall>): void;
}

const WAIT = Symbol('wait');
type Waiting = ServerHttp2Stream & { [WAIT]?: Wait<AwaitedCall> };

class AwaitedStream implements AwaitedCall {
  private readonly stream: Waiting;
  extensions = 0;

  constructor(stream: Waiting) {
    this.stream = stream;
  }

  renew(wait: Wait<AwaitedCall>): void {
    this.stream[WAIT] = wait;
  }

  refuse(error: MnemeError): void {
    endWith(this.stream, error);
  }

  cut(): void {
    if (!this.stream.closed) this.stream.close(constants.NGHTTP2_CANCEL);
  }
}

/** What grpc-js knows of the messages of a call, in private fields; without them they are not limited in time. */
interface Internals {
  readonly call?: {
    readonly isReadPending: boolean;
    /** `readState` is 0 between messages; each message has a new array of its parts. */
    readonly decoder?: { readonly readState: number; readonly readPartialMessage: readonly Buffer[] };
  };
}

interface OpenRequests {
  readonly stream: ServerHttp2Stream;
  readonly transport: Internals;
  /** The parts of the message that was incomplete at the last look. */
  parts: readonly Buffer[] | undefined;
  wait: Wait<OpenRequests> | undefined;
  fail(error: MnemeError): void;
}

/**
 * Calls that their transport does not limit in time: those whose request has not arrived in full, and those whose caller neither
 * reads the answer nor ends its side. They are streams of HTTP/2 under grpc-js, and calls over HTTP/1.1.
 */
export class CallWaits implements AwaitedCalls {
  private readonly limits: CallWaitLimits;
  private readonly requested: Waits<AwaitedCall>;
  private readonly answered: Waits<AwaitedCall>;
  /** Streams with many requests, each until the next look. */
  private readonly requests: Waits<OpenRequests>;
  /** Calls that are being served. */
  private readonly servedCount: () => number;
  onFewer: (() => void) | undefined;

  constructor(limits: CallWaitLimits, timers: Timers, servedCount: () => number) {
    this.limits = limits;
    this.servedCount = servedCount;
    this.requested = new Waits(limits.maxRequestWaitMs, timers, (call) => call.refuse(this.late()));
    this.answered = new Waits(limits.maxStreamStallMs, timers, (call) => this.unread(call));
    this.requests = new Waits(limits.maxRequestWaitMs, timers, (open) => this.look(open));
  }

  /** Calls whose request is awaited. */
  get awaitedCount(): number {
    return this.requested.size;
  }

  /** To be called with each new stream, before grpc-js has it. */
  readonly open = (stream: Waiting): void => {
    const wait = this.requested.begin(new AwaitedStream(stream));
    stream[WAIT] = wait;
    stream.once('close', () => this.end(stream[WAIT] ?? wait));
    this.limitRequested();
  };

  /** Awaits a request over another transport. */
  awaitRequest(call: AwaitedCall): Wait<AwaitedCall> {
    const wait = this.requested.begin(call);
    this.limitRequested();
    return wait;
  }

  /** Awaits the reader of an answer over another transport. */
  awaitReader(call: AwaitedCall, sentBytes: number): Wait<AwaitedCall> {
    call.extensions = this.extensionsFor(sentBytes);
    return this.answered.begin(call);
  }

  end(wait: Wait<AwaitedCall>): void {
    wait.in?.end(wait);
    this.onFewer?.();
  }

  private limitRequested(): void {
    const awaitedMax = Math.max(AWAITED_MIN, this.limits.maxCallsInFlight - this.servedCount());
    if (this.requested.size <= awaitedMax) return;
    this.requested.takeOldest()?.refuse(overloaded(this.limits.maxCallsInFlight));
  }

  /** The request of the call has arrived. */
  begun(transport: object): void {
    const wait = waitOf(transport);
    if (wait) this.requested.end(wait);
  }

  /** Ends a stream of requests one of which stays incomplete for one to two times the limit of a request. */
  follow(transport: object, fail: (error: MnemeError) => void): void {
    const stream = http2StreamOf(transport);
    if (!stream) return;
    const open: OpenRequests = { stream, transport, parts: undefined, wait: undefined, fail };
    this.look(open);
    stream.once('close', () => {
      if (open.wait) this.requests.end(open.wait);
    });
  }

  /** The call has got its status: its stream closes as soon as the caller has read it. */
  ended(transport: object, sentBytes: number): void {
    const stream: Waiting | undefined = http2StreamOf(transport);
    const wait = stream?.[WAIT];
    if (!stream || !wait || stream.closed) return;
    this.requested.end(wait);
    wait.item.extensions = this.extensionsFor(sentBytes);
    stream[WAIT] = this.answered.begin(wait.item);
  }

  private extensionsFor(sentBytes: number): number {
    return Math.floor(sentBytes / ((READ_RATE_MIN * this.limits.maxStreamStallMs) / 1000));
  }

  close(): void {
    this.requested.close();
    this.answered.close();
    this.requests.close();
  }

  private look(open: OpenRequests): void {
    const { stream, transport } = open;
    if (stream.closed || !transport.call?.decoder) return;
    const { isReadPending, decoder } = transport.call;
    // A message of which the server reads no more is not late.
    const parts = isReadPending && decoder.readState !== 0 ? decoder.readPartialMessage : undefined;
    if (parts && parts === open.parts) {
      open.fail(this.late());
      return;
    }
    open.parts = parts;
    open.wait = this.requests.begin(open);
  }

  private unread(call: AwaitedCall): void {
    if (call.extensions-- > 0) call.renew(this.answered.begin(call));
    else call.cut();
  }

  private late(): MnemeError {
    const limitMs = this.limits.maxRequestWaitMs;
    return new MnemeError('DEADLINE_EXCEEDED', `a request did not arrive within ${limitMs} ms`);
  }
}

function waitOf(transport: object): Wait<AwaitedCall> | undefined {
  const stream: Waiting | undefined = http2StreamOf(transport);
  return stream?.[WAIT];
}

/** Sends the status of the error, where nothing has been sent yet, and resets the stream. */
function endWith(stream: ServerHttp2Stream, error: MnemeError): void {
  if (stream.closed || stream.destroyed) return;
  if (!stream.headersSent) stream.respond(trailersOnly(failureOf(error, '')), { endStream: true });
  stream.close(constants.NGHTTP2_NO_ERROR);
}

function trailersOnly({ code, details, metadata }: Failure) {
  return {
    [constants.HTTP2_HEADER_STATUS]: constants.HTTP_STATUS_OK,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc+proto',
    'grpc-status': String(code),
    'grpc-message': encodeURI(details),
    ...metadata.toHttp2Headers(),
  };
}
