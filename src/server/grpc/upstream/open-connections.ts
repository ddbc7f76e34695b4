import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Timers } from '../../../memory/clock.ts';
import { type Wait, Waits } from '../../../memory/waits.ts';
import type { Logger } from '../../logger.ts';

/** Time for the last statuses to reach their callers, and then for the resets of streams to. */
const FAREWELL_MS = 500;
const RESET_MS = 100;

export interface ConnectionLimits {
  readonly connectionsMax: number;
  readonly connectionsPerAddressMax: number;
  /** From the connection to the first settings of HTTP/2 or the first request of HTTP/1.1, with the handshake of TLS. */
  readonly maxHandshakeMs: number;
}

/** Time between two messages in the log that connections are refused. */
const LOG_INTERVAL_MS = 60_000;

/**
 * The connections of a server, within their limits. They are closed when the server stops and callers do not
 * disconnect, and when they do not come to speak HTTP.
 */
export class OpenConnections {
  private readonly limits: ConnectionLimits;
  private readonly timers: Timers;
  private readonly logger: Logger;
  private readonly sockets = new Set<Socket>();
  private readonly streams = new Set<ServerHttp2Stream>();
  private readonly byAddress = new Map<string, number>();
  private readonly handshakes: Waits<Socket>;
  /** By the peer of the connection, which socket and session both know. */
  private readonly begun = new Map<string, Wait<Socket>>();
  private loggedAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: ConnectionLimits, timers: Timers, logger: Logger) {
    this.limits = limits;
    this.timers = timers;
    this.logger = logger;
    this.handshakes = new Waits(limits.maxHandshakeMs, timers, (socket) => socket.destroy());
  }

  readonly addSocket = (socket: Socket): void => {
    const { remoteAddress: address } = socket;
    const exceeded = this.exceededBy(address);
    if (exceeded) {
      this.refuse(socket, exceeded);
      return;
    }
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    // Sockets of the file system have no address, and only processes of this machine.
    if (address !== undefined) this.addPeer(socket, address);
  };

  private exceededBy(address: string | undefined): string | undefined {
    const { connectionsMax, connectionsPerAddressMax } = this.limits;
    if (this.sockets.size >= connectionsMax) return '--connections-max';
    const isExceeded = address !== undefined && (this.byAddress.get(address) ?? 0) >= connectionsPerAddressMax;
    return isExceeded ? '--connections-per-address-max' : undefined;
  }

  private addPeer(socket: Socket, address: string): void {
    this.byAddress.set(address, (this.byAddress.get(address) ?? 0) + 1);
    const peer = peerOf(socket);
    const wait = this.handshakes.begin(socket);
    this.begun.set(peer, wait);
    socket.once('close', () => {
      this.handshakes.end(wait);
      if (this.begun.get(peer) === wait) this.begun.delete(peer);
      const left = (this.byAddress.get(address) ?? 1) - 1;
      if (left > 0) this.byAddress.set(address, left);
      else this.byAddress.delete(address);
    });
  }

  private refuse(socket: Socket, setting: string): void {
    socket.on('error', () => undefined).destroy();
    const nowMs = this.timers.nowMs();
    if (nowMs - this.loggedAtMs < LOG_INTERVAL_MS) return;
    this.loggedAtMs = nowMs;
    this.logger.warn({ connections: this.sockets.size }, `connections are refused: the limit is set by ${setting}`);
  }

  addSession(session: ServerHttp2Session): void {
    const peer = peerOf(session.socket);
    session.once('remoteSettings', () => this.endHandshake(peer));
    session.on('stream', (stream) => {
      this.streams.add(stream);
      stream.once('close', () => this.streams.delete(stream));
    });
  }

  /** The peer has come to speak HTTP/1.1. */
  readonly addRequest = (socket: Socket): void => this.endHandshake(peerOf(socket));

  private endHandshake(peer: string): void {
    const wait = this.begun.get(peer);
    if (!wait) return;
    this.handshakes.end(wait);
    this.begun.delete(peer);
  }

  /**
   * A caller that does not read its messages does not see the end of its call either, which is queued behind them. With
   * channelz off, forceShutdown of grpc-js does not close connections, and a closing session waits for its peer, which
   * may have vanished. Streams are reset first: a grpc-js client reports a connection that ends after GOAWAY as
   * INTERNAL, a reset as CANCELLED, which overtakes all queued messages.
   * @returns when `closed` resolves.
   */
  async cutUnless(closed: Promise<unknown>): Promise<void> {
    this.handshakes.close();
    let timer = setTimeout(() => {
      for (const stream of this.streams) stream.close(constants.NGHTTP2_CANCEL);
      timer = setTimeout(() => {
        for (const socket of this.sockets) socket.destroy();
      }, RESET_MS);
    }, FAREWELL_MS);
    await closed;
    clearTimeout(timer);
  }
}

function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress}|${remotePort}`;
}
