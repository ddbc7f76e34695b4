import { lookup } from 'node:dns/promises';
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';

/** Contents of PEM files. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** When set, clients must present a certificate signed by these authorities. */
  readonly clientCa?: Buffer;
}

export interface ListenerOptions {
  /** Absent: without TLS. */
  readonly tls?: TlsFiles;
  /** Protocols that TLS may agree on by ALPN, the preferred one first. */
  readonly protocols: readonly string[];
  /** Called with each connection, before TLS. */
  readonly onSocket: (socket: Socket) => void;
  /** Called with each connection when TLS has been agreed on, otherwise at once. */
  readonly onConnection: (socket: Socket) => void;
}

/** Accepts connections at an address; a host with several addresses has one listener at each. */
export class Listener {
  private readonly options: ListenerOptions;
  private readonly servers: (Server | TlsServer)[] = [];

  constructor(options: ListenerOptions) {
    this.options = options;
  }

  /** `host:port`, `[address]:port` or `unix:path`. Resolves to it with the actual port. */
  async listen(address: string): Promise<string> {
    try {
      if (address.startsWith('unix:')) {
        await this.open({ path: address.replace(/^unix:(\/\/)?/, '') });
        return address;
      }
      const at = address.lastIndexOf(':');
      const host = address.slice(0, at).replace(/^\[|\]$/g, '');
      const port = await this.listenOn(host, Number(address.slice(at + 1)));
      return `${address.slice(0, at)}:${port}`;
    } catch (cause) {
      throw new Error(`${address} ${whyNot(cause as NodeJS.ErrnoException)}, or give another one with --listen`, {
        cause,
      });
    }
  }

  /** New connections get these certificates; whether clients must present one stays as it was. */
  replaceTls(files: TlsFiles): void {
    for (const server of this.servers) if ('setSecureContext' in server) server.setSecureContext(contextOf(files));
  }

  /** Accepts no more connections; resolves when all of them are closed. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  }

  /** Addresses of the host that this machine lacks, such as those of IPv6, are left out while one remains. */
  private async listenOn(host: string, wanted: number): Promise<number> {
    const found = await lookup(host, { all: true });
    let port = wanted;
    let failure: unknown;
    for (const { address } of found) {
      try {
        port = await this.open({ host: address, port });
      } catch (error) {
        failure ??= error;
      }
    }
    if (this.servers.length === 0) throw failure;
    return port;
  }

  /** Resolves to the port. */
  private open(place: ListenOptions): Promise<number> {
    const server = this.create();
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(place, () => {
        server.off('error', reject);
        this.servers.push(server);
        const at = server.address() as AddressInfo | string;
        resolve(typeof at === 'string' ? 0 : at.port);
      });
    });
  }

  private create(): Server | TlsServer {
    const { tls, protocols, onSocket, onConnection } = this.options;
    if (!tls) {
      return createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
        onSocket(socket);
        if (!socket.destroyed) onConnection(socket);
      });
    }
    const server = createTlsServer({
      ...contextOf(tls),
      requestCert: tls.clientCa !== undefined,
      ALPNProtocols: [...protocols],
    });
    server.on('connection', onSocket);
    server.on('secureConnection', onConnection);
    return server;
  }
}

function contextOf({ cert, key, clientCa }: TlsFiles) {
  return { cert, key, ...(clientCa && { ca: clientCa }) };
}

function whyNot({ code = '', message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE') return 'is in use by another program: stop that one';
  if (code === 'EACCES') return 'requires privileges: choose a port from 1024 on';
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
    return 'is not an address of this machine: correct it';
  }
  return `cannot be listened on (${message.slice(0, 200)}): correct it`;
}
