import { randomBytes } from 'node:crypto';
import type { Metadata, ServerUnaryCall } from '@grpc/grpc-js';
import type { AuditSink } from '../../../memory/audit-record.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Scope } from '../../../memory/memory.ts';
import { ANONYMOUS, type Principal } from '../../../memory/principal.ts';
import { Slots } from '../../../memory/slots.ts';
import type { Tracer } from '../../../search/threads/span.ts';
import type { Logger } from '../../logger.ts';
import type { Caller } from '../../operations/visibility/visibility.ts';
import { EventLoopLag } from './event-loop-lag.ts';

type AuthContext = ReturnType<ServerUnaryCall<unknown, unknown>['getAuthContext']>;

/** Counts calls for monitoring. `method` is `package.Service/Method`, `status` a name such as `NOT_FOUND`. */
export interface CallMeter {
  callStarted(method: string): void;
  callEnded(method: string, status: string, call: CallTotals): void;
  /** A call was refused before any work on it, by a limit of load. */
  callRefused(rule: LoadRule): void;
  /** A limit of the policy has refused a call, or a write. */
  quotaExceeded(rule: string, limit: string, identity: string): void;
}

/** Limits of load, as metrics name them. */
export type LoadRule = 'calls_in_flight' | 'streams' | 'event_loop_lag' | 'draining';

export interface CallTotals {
  readonly isStream: boolean;
  readonly durationMs: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/** Calls that wait for their callers: for a request, or for the answer to be read. */
export interface AwaitedCalls {
  /** Calls whose request is awaited. */
  readonly awaitedCount: number;
  /** Called when fewer requests are awaited. */
  onFewer: (() => void) | undefined;
  /** The request of the call has arrived. */
  begun(transport: object): void;
  /** The call has got its status. */
  ended(transport: object, sentBytes: number): void;
  /** The call has many requests; `fail` ends it when one stays incomplete. */
  follow(transport: object, fail: (error: MnemeError) => void): void;
}

/** A call that has been let in. */
export interface OpenCall {
  /** `package.Service/Method`. */
  readonly method: string;
  readonly isStream: boolean;
  /** The caller; changes when its rights do. */
  principal: Principal;
  /** The connection of HTTP/2 that it came over; undefined once that is gone. */
  readonly connection: object | undefined;
  /** The edge's own: where it keeps the call for as long as that is in. */
  seat: Seat | undefined;
  /** Ends it with the status of the error. */
  fail(error: unknown): void;
}

export interface Seat {
  readonly among: Slots<OpenCall>;
  readonly slot: number;
  /** Counts the call out of the limits of its identity; absent without limits. */
  readonly leaveQuotas: (() => void) | undefined;
}

/** Limits by identity. */
export interface CallQuotas {
  /** Counts a call, or fails with QUOTA_EXCEEDED. The function that it returns counts the call out. */
  enter(call: Pick<OpenCall, 'method' | 'isStream' | 'principal'>): () => void;
  /**
   * Counts a further message of a stream as a call of its method and returns 0, or returns the time after which it may
   * be counted.
   */
  waitForMessage(call: Pick<OpenCall, 'method' | 'principal'>): number;
  /** Counts bytes of messages: later calls wait until these are within the rate. */
  transferred(identity: string, bytes: number): void;
}

export interface EdgeLimits {
  readonly maxCallsInFlight: number;
  /** Time that work waits for its turn of the event loop above which calls are refused; 0: no limit. */
  readonly maxEventLoopLagMs: number;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  readonly defaultDeadlineMs: number;
  readonly maxDeadlineMs: number;
  /** Maximum time that the reader of a stream may stall while messages wait for it. */
  readonly maxStreamStallMs: number;
}

/** What a call brings that can prove an identity. */
export interface Presented {
  readonly metadata: Metadata;
  /** Of the connection; `sslPeerCertificate` is set when an authority of the server has signed it. */
  getAuthContext(): AuthContext;
}

/** Finds out which identity calls. */
export interface Credentials {
  /** Fails with CREDENTIALS_INVALID when nothing that is presented proves an identity. */
  authorize(presented: Presented): Principal | Promise<Principal>;
  /** The principal with its present rights; `undefined` when its credential is not valid any more. */
  renewed(principal: Principal): Principal | undefined;
}

/** Decides what a caller may do, by its grants. */
export interface AccessRules {
  /**
   * Fails with PERMISSION_MISSING where no grant of the caller allows the request. Returns the scopes that the caller is
   * limited to, by namespace; `undefined`: none are. `method` is `package.Service/Method`.
   */
  check(
    method: string,
    request: object,
    principal: Principal,
    from: Caller | undefined,
  ): ReadonlyMap<string, readonly Scope[]> | undefined;
  /**
   * Whether the caller may read whatever a permitted request reaches; otherwise its answer is cut to a receipt. `limits`
   * are those that `check` returned.
   */
  coversAnswer(
    method: string,
    request: object,
    principal: Principal,
    limits: ReadonlyMap<string, readonly Scope[]> | undefined,
  ): boolean;
}

export interface EdgeOptions {
  readonly limits: EdgeLimits;
  readonly logger: Logger;
  /** Absent where callers need no credentials. */
  readonly credentials?: Credentials;
  /** Absent where every caller may do everything. */
  readonly access?: AccessRules;
  /** Absent where no identity has limits. */
  readonly quotas?: CallQuotas;
  readonly lag?: EventLoopLag;
}

/** Of the calls in flight: streams last, and would leave no place for the calls that do not. */
const STREAMS_SHARE = 0.75;
/** Calls of operators that are served beyond the limit of calls in flight. */
const OPERATOR_CALLS = 16;

/** State shared by all calls of a server: its limits, authentication, and the calls in progress. */
export class Edge {
  readonly limits: EdgeLimits;
  readonly logger: Logger;
  /** Absent where metrics are disabled. */
  meter: CallMeter | undefined;
  /** Absent where no audit log is kept. */
  audit: AuditSink | undefined;
  /** Absent where nothing is traced. */
  tracer: Tracer | undefined;
  /** A first write creates its namespace; reads of a missing one are then empty. */
  createsNamespaces = true;
  /** Of the transport that serves the calls. */
  waits: AwaitedCalls | undefined;
  readonly access: AccessRules | undefined;
  readonly quotas: CallQuotas | undefined;
  private readonly credentials: Credentials | undefined;
  private readonly unaries = new Slots<OpenCall>();
  private readonly streams = new Slots<OpenCall>();
  private readonly unlimited = new Slots<OpenCall>();
  private readonly idPrefix = randomBytes(4).toString('hex');
  private idCount = 0;
  private isDraining = false;
  private isClosed = false;
  /** Calls whose credential is being looked up. */
  private lookupCount = 0;
  private onIdle: (() => void) | undefined;
  private readonly lag: EventLoopLag;

  constructor({ limits, logger, credentials, access, quotas, lag = new EventLoopLag() }: EdgeOptions) {
    this.lag = lag;
    this.limits = limits;
    this.logger = logger;
    this.credentials = credentials;
    this.access = access;
    this.quotas = quotas;
  }

  /** Calls that are served, those whose credential is being looked up, and those whose request is awaited. */
  get callsInFlight(): number {
    return this.servedCount + this.lookupCount + (this.waits?.awaitedCount ?? 0);
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

  /** Identifies the caller, or fails with CREDENTIALS_INVALID. Callers are anonymous where none need credentials. */
  authorize(presented: Presented): Principal | Promise<Principal> {
    return this.credentials ? this.credentials.authorize(presented) : ANONYMOUS;
  }

  /**
   * Lets a call in when its credential has been looked up; a stop waits for it. Lookups are limited by themselves, so that
   * callers without valid credentials take no place from others.
   */
  async afterLookup(found: Promise<Principal>, letIn: (principal: Principal) => void): Promise<void> {
    this.lookupCount++;
    try {
      const { maxCallsInFlight } = this.limits;
      if (this.lookupCount > maxCallsInFlight) {
        found.catch(() => undefined);
        throw this.refused('calls_in_flight', overloaded(maxCallsInFlight));
      }
      letIn(await found);
    } finally {
      this.lookupCount--;
      // A call that was refused is answered before.
      if (this.onIdle) setImmediate(() => this.checkIdle());
    }
  }

  /**
   * Admits a call of an authorized caller, or fails with DRAINING, OVERLOADED or QUOTA_EXCEEDED. `isForOperators`: the limits of load
   * do not apply, since operators look at a server under load. A server that stops still serves unary calls: their connections were told to
   * open no more, so these came before.
   */
  admit(call: OpenCall, isForOperators = false): void {
    if (this.isClosed || (this.isDraining && call.isStream)) throw this.refused('draining', draining());
    this.checkLoad(call, isForOperators ? OPERATOR_CALLS : 0);
    seat(call, call.isStream ? this.streams : this.unaries, this.quotas?.enter(call));
  }

  private checkLoad(call: OpenCall, extraCount: number): void {
    const { maxCallsInFlight, maxEventLoopLagMs } = this.limits;
    if (this.servedCount >= maxCallsInFlight + extraCount) {
      throw this.refused('calls_in_flight', overloaded(maxCallsInFlight));
    }
    const streamsMax = Math.ceil(maxCallsInFlight * STREAMS_SHARE);
    if (call.isStream && this.streams.size >= streamsMax) {
      const message = `the server has reached its limit of ${streamsMax} open streams`;
      throw this.refused('streams', new MnemeError('OVERLOADED', message));
    }
    if (maxEventLoopLagMs === 0 || extraCount > 0) return;
    const lagMs = this.lag.look();
    if (lagMs <= maxEventLoopLagMs) return;
    const message = `calls wait ${Math.round(lagMs)} ms for their turn; at most ${maxEventLoopLagMs} ms are allowed`;
    throw this.refused('event_loop_lag', new MnemeError('OVERLOADED', message));
  }

  private refused(rule: LoadRule, error: MnemeError): MnemeError {
    this.meter?.callRefused(rule);
    return error;
  }

  /** Admits a call that is always answered, such as one for the health of the server; it counts against no limit. */
  enter(call: OpenCall): void {
    seat(call, this.unlimited);
  }

  leave(call: OpenCall): void {
    call.seat?.among.take(call.seat.slot);
    call.seat?.leaveQuotas?.();
    call.seat = undefined;
    this.checkIdle();
  }

  /**
   * Ends the calls of credentials that are not valid any more with CREDENTIALS_INVALID, and streams of callers whose
   * rights have changed with DRAINING: opened again, they have the new ones.
   */
  renewCalls(): void {
    const { credentials } = this;
    if (!credentials) return;
    for (const call of [...this.streams.all(), ...this.unaries.all()]) {
      // Let in without a credential, as reflection is.
      if (call.principal === ANONYMOUS) continue;
      const renewed = credentials.renewed(call.principal);
      if (!renewed) {
        call.fail(new MnemeError('CREDENTIALS_INVALID', 'the credential of the call is not valid any more'));
      } else if (renewed !== call.principal) {
        call.principal = renewed;
        if (call.isStream)
          call.fail(new MnemeError('DRAINING', 'the rights of the caller have changed: open the stream again'));
      }
    }
  }

  /** Refuses new streams: the server is about to stop. */
  refuseStreams(): void {
    this.isDraining = true;
  }

  /** Resolves when the unary calls that have begun are done, at the latest after `graceMs`. */
  drain(graceMs: number): Promise<void> {
    this.refuseStreams();
    if (this.waits) this.waits.onFewer = () => this.checkIdle();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.checkIdle();
    });
  }

  /** Calls whose requests are still awaited have begun too, and those whose credential is being looked up. */
  private checkIdle(): void {
    const begunCount = this.unaries.size + this.lookupCount + (this.waits?.awaitedCount ?? 0);
    if (begunCount === 0) this.onIdle?.();
  }

  /** Ends the calls that are left with DRAINING, upon which clients go on elsewhere, and admits no more. */
  endCalls(): void {
    this.isClosed = true;
    this.end(() => true, draining());
  }

  /** Ends the calls of a connection that is to close with DRAINING, upon which clients go on over another. */
  endCallsOf(connection: object): void {
    const error = new MnemeError('DRAINING', 'the connection has reached its maximum age: continue over another');
    this.end((call) => call.connection === connection, error);
  }

  private end(isMeant: (call: OpenCall) => boolean, error: MnemeError): void {
    for (const among of [this.unlimited, this.streams, this.unaries]) {
      for (const call of among.all()) if (isMeant(call)) call.fail(error);
    }
  }
}

function seat(call: OpenCall, among: Slots<OpenCall>, leaveQuotas?: () => void): void {
  call.seat = { among, slot: among.add(call), leaveQuotas };
}

export function overloaded(limit: number): MnemeError {
  return new MnemeError('OVERLOADED', `the server has reached its limit of ${limit} calls in flight`);
}

function draining(): MnemeError {
  return new MnemeError('DRAINING', 'the server is shutting down');
}
