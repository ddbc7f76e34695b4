import { randomBytes } from 'node:crypto';
import type { Metadata } from '@grpc/grpc-js';
import type { Logger } from '../../logger.ts';
import { MnemeError } from '../../memory/errors.ts';
import { Slots } from '../../memory/slots.ts';

/** Counts calls for monitoring. `method` is `package.Service/Method`, `status` a name such as `NOT_FOUND`. */
export interface CallMeter {
  callStarted(method: string): void;
  callEnded(method: string, status: string, call: CallTotals): void;
}

export interface CallTotals {
  readonly durationMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Calls that wait for their callers: for a request, or for the answer to be read. */
export interface AwaitedCalls {
  /** Calls whose request is awaited. */
  readonly awaitedCount: number;
  /** The request of the call has arrived. */
  begun(transport: object): void;
  /** The call has got its status. */
  ended(transport: object, sentBytes: number): void;
  /** The call has many requests; `fail` ends it when one stays incomplete. */
  follow(transport: object, fail: (error: MnemeError) => void): void;
}

/** A call that has been let in. */
export interface OpenCall {
  readonly isStream: boolean;
  /** Headers with the caller's credentials; absent for an operation inside a stream. */
  readonly metadata: Metadata | undefined;
  /** The edge's own: where it keeps the call for as long as that is in. */
  seat: Seat | undefined;
  /** Ends it with the status of the error. */
  fail(error: unknown): void;
}

export interface Seat {
  readonly among: Slots<OpenCall>;
  readonly slot: number;
}

export interface EdgeLimits {
  readonly maxCallsInFlight: number;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  readonly defaultDeadlineMs: number;
  readonly maxDeadlineMs: number;
  /** Maximum time that the reader of a stream may stall while messages wait for it. */
  readonly maxStreamStallMs: number;
}

/** Decides who may call, from the headers of a call. */
export interface Credentials {
  /** Fails with CREDENTIALS_INVALID when the caller may not call. */
  check(metadata: Metadata): void;
  /** Identifies an admitted caller. */
  callerOf(metadata: Metadata): string;
}

export interface EdgeOptions {
  readonly limits: EdgeLimits;
  readonly logger: Logger;
  /** Absent where callers need no credentials. */
  readonly credentials?: Credentials;
}

/** Of the calls in flight: streams last, and would leave no place for the calls that do not. */
const STREAMS_SHARE = 0.75;

/** State shared by all calls of a server: its limits, authentication, and the calls in progress. */
export class Edge {
  readonly limits: EdgeLimits;
  readonly logger: Logger;
  /** Absent where metrics are disabled. */
  meter: CallMeter | undefined;
  /** Of the transport that serves the calls. */
  waits: AwaitedCalls | undefined;
  private readonly credentials: Credentials | undefined;
  private readonly unaries = new Slots<OpenCall>();
  private readonly streams = new Slots<OpenCall>();
  private readonly unlimited = new Slots<OpenCall>();
  private readonly idPrefix = randomBytes(4).toString('hex');
  private idCount = 0;
  private isDraining = false;
  private onIdle: (() => void) | undefined;

  constructor({ limits, logger, credentials }: EdgeOptions) {
    this.limits = limits;
    this.logger = logger;
    this.credentials = credentials;
  }

  /** Calls that are served, and those whose request is awaited. */
  get callsInFlight(): number {
    return this.servedCount + (this.waits?.awaitedCount ?? 0);
  }

  get servedCount(): number {
    return this.unaries.size + this.streams.size;
  }

  /** The last resort: an error while a call is being ended has no other recipient. */
  readonly onDefect = (error: unknown): void => {
    this.logger.error({ err: error }, 'a call could not be ended');
  };

  newCallId(): string {
    return `${this.idPrefix}-${(++this.idCount).toString(36)}`;
  }

  /** Admits a call, or fails with CREDENTIALS_INVALID, DRAINING or OVERLOADED. */
  admit(call: OpenCall, metadata: Metadata): void {
    this.credentials?.check(metadata);
    this.admitKnown(call);
  }

  /** The same for an operation of an already authenticated caller. */
  admitKnown(call: OpenCall): void {
    if (this.isDraining) throw draining();
    const { maxCallsInFlight } = this.limits;
    if (this.servedCount >= maxCallsInFlight) throw overloaded(maxCallsInFlight);
    const streamsMax = Math.ceil(maxCallsInFlight * STREAMS_SHARE);
    if (call.isStream && this.streams.size >= streamsMax) {
      throw new MnemeError('OVERLOADED', `the server has reached its limit of ${streamsMax} open streams`);
    }
    seat(call, call.isStream ? this.streams : this.unaries);
  }

  /** Admits a call that is always answered, such as one for the health of the server; it counts against no limit. */
  enter(call: OpenCall): void {
    seat(call, this.unlimited);
  }

  leave(call: OpenCall): void {
    call.seat?.among.take(call.seat.slot);
    call.seat = undefined;
    if (this.unaries.size === 0) this.onIdle?.();
  }

  /**
   * Identifies a caller by its credentials. Without any that the server checks there is none: a caller could send others
   * with each call.
   */
  callerOf(metadata: Metadata | undefined): string | undefined {
    return metadata && this.credentials?.callerOf(metadata);
  }

  /** Ends the calls of callers that may not call any more with CREDENTIALS_INVALID. */
  endUnauthorized(): void {
    for (const call of [...this.streams.all(), ...this.unaries.all()]) {
      try {
        if (call.metadata) this.credentials?.check(call.metadata);
      } catch (error) {
        call.fail(error);
      }
    }
  }

  /** Refuses new calls; resolves when the unary calls in flight are done, at the latest after `graceMs`. */
  drain(graceMs: number): Promise<void> {
    this.isDraining = true;
    if (this.unaries.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Ends the calls that are left with DRAINING, upon which clients go on elsewhere. */
  endCalls(): void {
    for (const among of [this.unlimited, this.streams, this.unaries]) {
      for (const call of among.all()) call.fail(draining());
    }
  }
}

function seat(call: OpenCall, among: Slots<OpenCall>): void {
  call.seat = { among, slot: among.add(call) };
}

export function overloaded(limit: number): MnemeError {
  return new MnemeError('OVERLOADED', `the server has reached its limit of ${limit} calls in flight`);
}

function draining(): MnemeError {
  return new MnemeError('DRAINING', 'the server is shutting down');
}
