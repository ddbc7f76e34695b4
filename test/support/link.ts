import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A stretch of network between a client and a server that a test can break. */
export interface Link {
  readonly address: string;
  /** Connections that are open. */
  readonly count: number;
  /** Breaks every connection; later ones work, also where `cutAfter` was called before. */
  cut(): void;
  /** Breaks every connection with a reset in place of an orderly end. */
  reset(): void;
  /** Passes nothing on, without closing anything, also on later connections: half-open connections. */
  freeze(): void;
  /** Drops data from the server on open connections: calls take effect, and no answer arrives. */
  loseAnswers(): void;
  /** Damages data from the server on open connections. */
  garble(): void;
  /** Frozen connections stay so; later ones work. */
  thaw(): void;
  /** Frozen connections go on where they were, with what was sent meanwhile. */
  heal(): void;
  /** Breaks every connection as soon as so many bytes have come from the client from now on. */
  cutAfter(bytes: number): void;
  stop(): Promise<void>;
}

/** `target`: `host:port`, or the path of a socket. */
export async function openLink(target: () => string): Promise<Link> {
  const sockets = new Set<Socket>();
  const upstreams = new Set<Socket>();
  let isFrozen = false;
  let bytesLeft = Number.POSITIVE_INFINITY;
  const mute = new WeakSet<Socket>();
  const garbled = new WeakSet<Socket>();
  const cut = () => {
    bytesLeft = Number.POSITIVE_INFINITY;
    for (const socket of sockets) socket.destroy();
  };
  const join = (from: Socket, to: Socket, isUp: boolean) => {
    sockets.add(from);
    if (isFrozen) from.pause();
    from.on('data', (bytes) => {
      if (from.isPaused()) return;
      if (isUp) bytesLeft -= bytes.length;
      if (bytesLeft <= 0) {
        cut();
        return;
      }
      if (garbled.has(from)) bytes.fill(0xfe);
      if (!mute.has(from) && !to.write(bytes)) from.pause();
    });
    to.on('drain', () => {
      if (!isFrozen) from.resume();
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const server = createServer((socket) => {
    const upstream = connectedTo(target());
    upstreams.add(upstream);
    upstream.on('close', () => upstreams.delete(upstream));
    join(socket, upstream, true);
    join(upstream, socket, false);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get count() {
      return sockets.size / 2;
    },
    cut,
    reset() {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    loseAnswers() {
      for (const upstream of upstreams) mute.add(upstream);
    },
    garble() {
      for (const upstream of upstreams) garbled.add(upstream);
    },
    thaw() {
      isFrozen = false;
    },
    heal() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    cutAfter(bytes) {
      bytesLeft = bytes;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    },
  };
}

function connectedTo(target: string): Socket {
  if (target.startsWith('/')) return connect(target);
  const [host = '', port = ''] = target.split(':');
  return connect(Number(port), host);
}
