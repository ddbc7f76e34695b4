import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/** Time for the last statuses to reach their callers, and then for the resets of streams to. */
const FAREWELL_MS = 500;
const RESET_MS = 100;

/** Connections to be closed when the server stops and callers do not disconnect. */
export class OpenConnections {
  private readonly sockets = new Set<Socket>();
  private readonly streams = new Set<ServerHttp2Stream>();

  readonly addSocket = (socket: Socket): void => {
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  };

  addSession(session: ServerHttp2Session): void {
    session.on('stream', (stream) => {
      this.streams.add(stream);
      stream.once('close', () => this.streams.delete(stream));
    });
  }

  /**
   * A caller that does not read its messages does not see the end of its call either, which is queued behind them. With
   * channelz off, forceShutdown of grpc-js does not close connections, and a closing session waits for its peer, which
   * may have vanished. Streams are reset first: a grpc-js client reports a connection that ends after GOAWAY as
   * INTERNAL, a reset as CANCELLED, which overtakes all queued messages.
   * @returns when `closed` resolves.
   */
  async cutUnless(closed: Promise<void>): Promise<void> {
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
