import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type McpServer, type ProtocolError } from '@modelcontextprotocol/server';
import { HttpSessions, refusal } from './http-sessions.ts';
import { answered } from './resources.ts';
import { Listens, urisOfListen } from './subscriptions.ts';
import type { McpDeps } from './tool.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Most requests and streams that are open at the same time. */
const OPEN_MAX = 256;
/** Most `subscriptions/listen` at the same time. */
const LISTENS_MAX = 100;
const PATH = '/mcp';

export interface HttpOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly isLoopback: boolean;
  /** What callers must show as `Authorization: Bearer …`. Absent: nothing. */
  readonly token?: string;
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
  const fetch = async (request: Request) => {
    if (await isLegacyRequest(request, undefined, { maxRequestBodySize: BODY_BYTES_MAX }))
      return sessions.fetch(request);
    if (request.headers.get('mcp-method') !== 'subscriptions/listen') return modern.fetch(request);
    return listening(deps, listens, request, modern.fetch);
  };
  const handle = toNodeHandler({ fetch }, { onerror: deps.onError, maxRequestBodySize: BODY_BYTES_MAX });
  const admit = admission(options);
  const server = createServer((request, response) => {
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

/** Lets in what may be served; anything else it has answered. A page in a browser reaches loopback too: host and origin are checked. */
function admission({
  isLoopback,
  token,
}: HttpOptions): (request: IncomingMessage, response: ServerResponse) => boolean {
  const isKnownHost = isLoopback ? localhostHostValidation() : () => true;
  const isKnownOrigin = localhostOriginValidation();
  const isAuthorized = token === undefined ? () => true : bearerCheck(token);
  let open = 0;
  return (request, response) => {
    if (!isKnownHost(request, response) || !isKnownOrigin(request, response)) return false;
    if (request.url?.split('?')[0] !== PATH) return refuse(response, 404, `MCP is served at ${PATH}`);
    if (!isAuthorized(request.headers.authorization)) {
      response.setHeader('www-authenticate', 'Bearer');
      return refuse(response, 401, 'A valid token is required: Authorization: Bearer TOKEN');
    }
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
    const [, given] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
    return given !== undefined && timingSafeEqual(digest(given), wanted);
  };
}
