import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type ProtocolError,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { mayRound } from './exact-integers.ts';
import { withArguments } from './message-lines.ts';
import { answered } from './resources.ts';
import { Listens, urisOfListen } from './subscriptions.ts';
import type { McpDeps } from './tool.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Most requests and streams that are open at the same time. */
const OPEN_MAX = 256;
/** Most requests whose bodies are on their way at the same time: another one ends the oldest of them. */
const ARRIVING_MAX = 64;
/** Longest time for a request to arrive as a whole. */
const REQUEST_MS = 30_000;
/** Most `subscriptions/listen` at the same time. */
const LISTENS_MAX = 100;
const PATH = '/mcp';

export interface HttpOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly isLoopback: boolean;
  /** Token that callers must send as `Authorization: Bearer …`. Absent: no authentication. */
  readonly token?: string;
  /** Longest time for a request to arrive as a whole; default 30 s. */
  readonly requestMs?: number;
}

export interface HttpService {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves MCP over streamable HTTP at `/mcp`, both revisions. `create` makes the server of a session or request. */
export async function serveOverHttp(
  deps: McpDeps,
  options: HttpOptions,
  create: () => McpServer,
): Promise<HttpService> {
  const sessions = new HttpSessions({
    create,
    maxRequestBodySize: BODY_BYTES_MAX,
    onError: deps.onError,
    nowMs: Date.now,
  });
  const modern = createMcpHandler(create, {
    legacy: 'reject',
    onerror: deps.onError,
    maxSubscriptions: LISTENS_MAX,
    maxRequestBodySize: BODY_BYTES_MAX,
  });
  const listens = new Listens(deps, (uri) => modern.notify.resourceUpdated(uri));
  const fetch = async (received: Request) => {
    const request = await readable(received);
    if (await isLegacyRequest(request, undefined, { maxRequestBodySize: BODY_BYTES_MAX }))
      return sessions.fetch(request);
    if (request.headers.get('mcp-method') !== 'subscriptions/listen') return modern.fetch(request);
    return listening(deps, listens, request, modern.fetch);
  };
  const handle = toNodeHandler({ fetch }, { onerror: deps.onError, maxRequestBodySize: BODY_BYTES_MAX });
  const admit = admission(options);
  const { requestMs = REQUEST_MS } = options;
  const limits = { headersTimeout: requestMs, requestTimeout: requestMs, connectionsCheckingInterval: requestMs / 10 };
  const server = createServer(limits, (request, response) => {
    if (admit(request, response)) handle(request as Parameters<typeof handle>[0], response).catch(deps.onError);
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}${PATH}`,
    async close() {
      listens.closeAll();
      await Promise.all([modern.close(), sessions.closeAll()]);
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The request; the arguments of a tool in it are those that are meant (`withArguments`). */
async function readable(request: Request): Promise<Request> {
  if (request.method !== 'POST') return request;
  const body = await request.clone().text();
  if (!ODD_ARGUMENTS.test(body) && !mayRound(body)) return request;
  try {
    return new Request(request, { body: JSON.stringify(withArguments(JSON.parse(body), body)) });
  } catch (error) {
    // The SDK answers what is not JSON.
    if (error instanceof SyntaxError) return request;
    throw error;
  }
}

/** Arguments that are null or a text, at least as part of a message. */
const ODD_ARGUMENTS = /"arguments"\s*:\s*(?:null|")/;

let listenCount = 0;

/** Asks the recalls of a `subscriptions/listen` before the SDK acknowledges it, so that no change is missed after that. */
async function listening(
  deps: McpDeps,
  listens: Listens,
  request: Request,
  serve: (request: Request) => Promise<Response>,
): Promise<Response> {
  const message = (await request
    .clone()
    .json()
    .catch(() => undefined)) as { id?: unknown } | undefined;
  // Requests of different clients may have the same id.
  const id = `listen ${++listenCount}`;
  try {
    await answered(deps, () => listens.open(id, urisOfListen(message)));
  } catch (error) {
    const { code, message: what } = error as ProtocolError;
    return refusal(200, code, what, message?.id ?? null);
  }
  const response = await serve(request);
  const isOpen = response.headers.get('content-type')?.startsWith('text/event-stream') && !request.signal.aborted;
  if (isOpen) request.signal.addEventListener('abort', () => listens.close(id), { once: true });
  else listens.close(id);
  return response;
}

/**
 * Passes admissible requests on and answers all others. A page in a browser reaches loopback too: host and origin are
 * checked.
 */
function admission({
  isLoopback,
  token,
}: HttpOptions): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isKnownHost = isLoopback ? localhostHostValidation() : () => true;
  const isKnownOrigin = localhostOriginValidation();
  const isAuthorized = token === undefined ? () => true : bearerCheck(token);
  const arriving = new ArrivingRequests();
  let open = 0;
  return (request, response) => {
    if (!isKnownHost(request, response) || !isKnownOrigin(request, response)) return false;
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `MCP is served at ${PATH}`);
    if (!isAuthorized(request.headers.authorization)) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(response, 401, 'A valid token is required: Authorization: Bearer TOKEN');
    }
    arriving.add(request);
    if (open >= OPEN_MAX) {
      response.setHeader('retry-after', '1');
      return refuse(
        response,
        503,
        `At most ${OPEN_MAX} requests and streams can be open at the same time. Try again later.`,
      );
    }
    open += 1;
    response.once('close', () => {
      open -= 1;
    });
    return true;
  };
}

/** Requests that have begun: one whose body does not arrive holds a place, and what it has sent, for a while only. */
class ArrivingRequests {
  private readonly requests = new Set<IncomingMessage>();

  add(request: IncomingMessage): void {
    if (request.complete) return;
    const [oldest] = this.requests;
    if (oldest && this.requests.size >= ARRIVING_MAX) {
      this.requests.delete(oldest);
      oldest.destroy();
    }
    this.requests.add(request);
    const arrived = () => this.requests.delete(request);
    request.once('end', arrived).once('close', arrived);
  }
}

function refuse(response: ServerResponse, status: number, message: string): false {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
  return false;
}

/** In constant time, so that a token cannot be guessed piece by piece. */
function bearerCheck(token: string): (header: string | undefined) => boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const wanted = digest(token);
  return (header) => {
    const [, provided] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
    return provided !== undefined && timingSafeEqual(digest(provided), wanted);
  };
}

const SESSIONS_MAX = 200;
/** A session that was idle for this long, without an open stream, is evicted when another one needs its slot. */
const IDLE_MS = 15 * 60_000;

interface Session {
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  usedAtMs: number;
  streams: number;
}

export interface SessionOptions {
  readonly create: () => McpServer;
  readonly maxRequestBodySize: number;
  readonly onError: (error: unknown) => void;
  readonly nowMs: () => number;
}

/** Sessions of protocol revision 2025-11-25 and before: each begins with `initialize` and is named by a header. */
export class HttpSessions {
  private readonly options: SessionOptions;
  private readonly sessions = new Map<string, Session>();

  constructor(options: SessionOptions) {
    this.options = options;
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) return this.begin(request);
    const session = this.sessions.get(id);
    if (session === undefined) return refusal(404, -32_001, 'Session not found: begin another one with initialize');
    session.usedAtMs = this.options.nowMs();
    if (request.method === 'GET') this.keepWhileOpen(session, request.signal);
    return session.transport.handleRequest(request);
  }

  async closeAll(): Promise<void> {
    const open = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(open.map(({ server }) => server.close()));
  }

  private async begin(request: Request): Promise<Response> {
    this.dropIdle();
    if (this.sessions.size >= SESSIONS_MAX) {
      return refusal(503, -32_000, `At most ${SESSIONS_MAX} sessions can be open at the same time. Try again later.`);
    }
    const { create, maxRequestBodySize, onError, nowMs } = this.options;
    const server = create();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize,
      onsessioninitialized: (id) => {
        this.sessions.set(id, { server, transport, usedAtMs: nowMs(), streams: 0 });
      },
      onsessionclosed: (id) => {
        this.sessions.delete(id);
      },
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request);
    // It was no initialize, and has been refused.
    if (transport.sessionId === undefined) server.close().catch(onError);
    return response;
  }

  private dropIdle(): void {
    const before = this.options.nowMs() - IDLE_MS;
    for (const [id, { server, usedAtMs, streams }] of this.sessions) {
      if (streams > 0 || usedAtMs > before) continue;
      this.sessions.delete(id);
      server.close().catch(this.options.onError);
    }
  }

  private keepWhileOpen(session: Session, signal: AbortSignal): void {
    session.streams += 1;
    const end = () => {
      session.streams -= 1;
      session.usedAtMs = this.options.nowMs();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  }
}

/** An error response to a request that no session's server handles. */
export function refusal(status: number, code: number, message: string, id: unknown = null): Response {
  return Response.json({ jsonrpc: '2.0', id, error: { code, message } }, { status });
}
