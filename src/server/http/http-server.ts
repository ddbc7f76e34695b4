import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Logger } from '../logger.ts';
import { Admission } from './admission.ts';
import type { ConnectionLives, LifeLimits } from './connection-lives.ts';
import { type Mount, sendError } from './mount.ts';

export interface HttpSettings extends LifeLimits {
  readonly maxHandshakeMs: number;
  readonly maxRequestWaitMs: number;
  /** Origins of web pages that may call, as `https://app.example.com`. */
  readonly httpOrigins: readonly string[];
}

interface HttpParts {
  readonly lives: ConnectionLives;
  readonly logger: Logger;
  /** Called with the socket of each request. */
  readonly onRequest: (socket: Socket) => void;
}

const HEADER_BYTES_MAX = 16_384;
/** Longest idle time of a connection: proxies that reuse connections give them up before. */
const IDLE_MS = 75_000;
/** Time between looks for requests that are late. */
const CHECK_MS = 1000;
/** Grace of a whole request beyond the limits of its head and its body. */
const GRACE_MS = 1000;

/** HTTP/1.1 over connections that are handed to it: each request is answered by the first mount that has its path. */
export class HttpServer {
  private readonly server: Server;
  private readonly mounts: readonly Mount[];
  private readonly admission: Admission;
  private readonly parts: HttpParts;

  constructor(settings: HttpSettings, mounts: readonly Mount[], parts: HttpParts) {
    this.mounts = mounts;
    this.parts = parts;
    this.admission = new Admission(settings.httpOrigins);
    this.server = createServer({
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: settings.maxHandshakeMs,
      requestTimeout: settings.maxHandshakeMs + settings.maxRequestWaitMs + GRACE_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: CHECK_MS,
    });
    this.server.on('request', (request, response) => this.receive(request, response));
    this.server.on('clientError', refuseBytes);
    // Checks of late requests begin with it; the socket that listens is another.
    this.server.emit('listening');
  }

  /** Serves HTTP/1.1 over a connection. */
  accept(socket: Socket): void {
    this.parts.lives.add(socket);
    this.server.emit('connection', socket);
    // Node's parser reads TLS without regard to pauses, and ends a connection whose next request comes in two parts while
    // its last answer is being sent. With a listener for the data it reads in JavaScript, and pauses.
    if (socket instanceof TLSSocket) socket.on('data', () => undefined);
  }

  /** From now on each answer closes its connection; those without a request are closed at once. */
  stop(): void {
    for (const mount of this.mounts) mount.close?.().catch((error: unknown) => this.parts.logger.error({ err: error }));
    this.parts.lives.stop();
    this.server.close();
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const { lives, onRequest, logger } = this.parts;
    onRequest(request.socket);
    if (!lives.begin(request.socket, response)) return;
    this.answer(request, response).catch((error: unknown) => {
      logger.error({ err: error }, 'an HTTP request could not be answered');
      if (!response.headersSent) sendError(response, 500, 'internal', 'internal error; the log of the server has it');
      else response.destroy();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.admission.admit(request, response)) return;
    const url = URL.parse(request.url ?? '/', 'http://server');
    if (!url) {
      sendError(response, 400, 'invalid_argument', 'the path of the request is not valid');
      return;
    }
    for (const mount of this.mounts) {
      const answered = mount.handle(request, response, url);
      if (answered === true || (answered !== false && (await answered))) return;
    }
    request.resume();
    const message = `${url.pathname} is not a path of this server; GET / lists its paths`;
    sendError(response, 404, 'not_found', message);
  }
}

const STATUS_OF: Readonly<Record<string, [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `the headers of a request may have ${HEADER_BYTES_MAX} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
};

/** Answers bytes that are no request of HTTP/1.1, and closes the connection. */
function refuseBytes(error: NodeJS.ErrnoException, socket: NodeJS.WritableStream & Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = STATUS_OF[error.code ?? ''] ?? [400, 'the bytes are no request of HTTP/1.1'];
  const body = `${JSON.stringify({ code: 'invalid_argument', message })}\n`;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`, () => socket.destroy());
}
