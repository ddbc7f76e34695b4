import { constants, type ServerHttp2Session } from 'node:http2';
import type { Timers } from '../../../memory/clock.ts';
import { PingRate } from './ping-rate.ts';

export interface ConnectionAgeLimits {
  /** 0: no limit. */
  readonly maxConnectionAgeMs: number;
  /** From the maximum age to the end of the calls that are left. */
  readonly maxConnectionAgeGraceMs: number;
  /** Shortest time between pings of a peer to which nothing is sent; 0: no limit. */
  readonly keepaliveMinMs: number;
}

type PingAnswer = Parameters<ServerHttp2Session['ping']>[1];

/** Connections reach the maximum age up to this share earlier or later, so that not all of them are opened anew at once. */
const JITTER = 0.1;
/** The golden ratio's fraction: consecutive multiples of it are evenly distributed modulo 1. */
const GOLDEN = 0.618_033_988_749_895;
/** Time for the last statuses of a connection to reach its peer. */
const FAREWELL_MS = 500;
/** Time for a peer to read that it is to open no more calls, while calls that it has sent meanwhile arrive. */
const NOTICE_MS = 100;
const PING_BYTES = 8;
/** The text by which clients of gRPC recognize why the connection ends, and ping less often. */
const TOO_MANY_PINGS = Buffer.from('too_many_pings');

/**
 * Closes connections: those that reach their maximum age, so that proxies and clients balance load anew, those whose peers ping
 * too often, and all of them when the server stops. A GOAWAY names the last call that was received: calls up to it are served, later
 * ones were not begun, and peers repeat them elsewhere. A connection that were closed in the same instant would reset the peer when
 * one of those arrives, and the GOAWAY could be lost with it: it is closed a little later.
 */
export class ConnectionAge {
  private readonly limits: ConnectionAgeLimits;
  private readonly timers: Timers;
  private readonly endCalls: (session: ServerHttp2Session) => void;
  private readonly sessions = new Set<ServerHttp2Session>();
  private count = 0;
  private readonly closing = new WeakSet<ServerHttp2Session>();
  private isStopping = false;

  /** `endCalls` ends the calls of a connection with a status. */
  constructor(limits: ConnectionAgeLimits, timers: Timers, endCalls: (session: ServerHttp2Session) => void) {
    this.limits = limits;
    this.timers = timers;
    this.endCalls = endCalls;
  }

  addSession(session: ServerHttp2Session): void {
    this.sessions.add(session);
    this.spareClosing(session);
    session.once('close', () => this.sessions.delete(session));
    if (this.isStopping) notify(session);
    const { maxConnectionAgeMs, keepaliveMinMs } = this.limits;
    if (maxConnectionAgeMs > 0) {
      const share = (++this.count * GOLDEN) % 1;
      const ageMs = maxConnectionAgeMs * (1 - JITTER + 2 * JITTER * share);
      const cancel = this.timers.set(() => void this.close(session), ageMs);
      session.once('close', cancel);
    }
    if (keepaliveMinMs > 0) this.limitPings(session, keepaliveMinMs);
  }

  /** Asks all peers to open no more calls; resolves when they have had time to read it. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.sessions.size === 0) return;
    for (const session of this.sessions) notify(session);
    await noticed();
  }

  private limitPings(session: ServerHttp2Session, minMs: number): void {
    const rate = new PingRate(minMs);
    session.on('ping', () => {
      if (this.closing.has(session) || !rate.isTooHigh(this.timers.nowMs(), session.socket.bytesWritten)) return;
      session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, TOO_MANY_PINGS);
      void this.close(session);
    });
  }

  /**
   * Node fails every ping of a session that is closing, also one that the peer closes, and gRPC takes that for a dead peer: a probe
   * would end the calls that are left, without a status. Such probes succeed; a dead peer is kept until the grace ends.
   */
  private spareClosing(session: ServerHttp2Session): void {
    const ping = session.ping.bind(session) as (...received: unknown[]) => boolean;
    const spare = (...received: unknown[]): boolean => {
      if (!session.closed || session.destroyed) return ping(...received);
      // Closed by the peer: nothing else limits its time.
      if (!this.isStopping && !this.closing.has(session)) {
        this.closing.add(session);
        this.limitTime(session);
      }
      const answer = received.find((each) => typeof each === 'function') as PingAnswer | undefined;
      setImmediate(() => answer?.(null, 0, Buffer.alloc(PING_BYTES)));
      return true;
    };
    session.ping = spare;
  }

  private async close(session: ServerHttp2Session): Promise<void> {
    if (session.destroyed || this.closing.has(session)) return;
    this.closing.add(session);
    this.limitTime(session);
    notify(session);
    await noticed();
    if (!session.destroyed) session.close();
  }

  /** The calls that are left end in time: a peer may keep a stream open forever. */
  private limitTime(session: ServerHttp2Session): void {
    const ending = { cancel: this.timers.set(() => this.end(session, ending), this.limits.maxConnectionAgeGraceMs) };
    session.once('close', () => ending.cancel());
  }

  private end(session: ServerHttp2Session, ending: { cancel: () => void }): void {
    this.endCalls(session);
    ending.cancel = this.timers.set(() => session.destroy(), FAREWELL_MS);
  }
}

/** Names the last call that was received. */
function notify(session: ServerHttp2Session): void {
  if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR);
}

function noticed(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
}
