import { once } from 'node:events';
import { createServer as createHttp2Server, type Http2Session } from 'node:http2';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A server that answers every connection with bytes that are no HTTP/2. */
export class GarbageServer {
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
    socket.write('HTTP/1.1 418 I am a teapot\r\ncontent-length: 4\r\n\r\ntea\n');
    socket.on('data', () => socket.write(Buffer.alloc(64, 0xfe)));
  });
  address = '';

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.address = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Raw answers to calls, by the end of their path. Default: a page. */
const STATUSES: Readonly<Record<string, number>> = { Recall: 404, GetMemory: 502 };

/** A server of pages over HTTP/2 that does not speak gRPC. */
export class WebServer {
  private readonly sessions = new Set<Http2Session>();
  private readonly server = createHttp2Server((request, response) => {
    const status = STATUSES[request.url.split('/').at(-1) ?? ''] ?? 200;
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
  }).on('session', (session) => {
    this.sessions.add(session);
    session.on('error', () => {}).on('close', () => this.sessions.delete(session));
  });
  address = '';

  async start(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.address = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.close();
    for (const session of this.sessions) session.destroy();
  }
}
