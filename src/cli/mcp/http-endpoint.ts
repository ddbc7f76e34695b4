import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, isLegacyRequest, type McpServer, type ProtocolError } from '@modelcontextprotocol/server';
import { mayRound } from './exact-integers.ts';
import { HttpSessions, refusal } from './http-sessions.ts';
import { withArguments } from './message-lines.ts';
import { answered } from './resources.ts';
import { Listens, urisOfListen } from './subscriptions.ts';
import type { McpDeps } from './tool.ts';

const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Most `subscriptions/listen` at the same time. */
const LISTENS_MAX = 100;

/** MCP over streamable HTTP for one namespace and one caller, both revisions. */
export class HttpEndpoint {
  private readonly deps: McpDeps;
  private readonly sessions: HttpSessions;
  private readonly modern: ReturnType<typeof createMcpHandler>;
  private readonly listens: Listens;
  private readonly respond: ReturnType<typeof toNodeHandler>;

  /** `create` makes the server of a session or request. */
  constructor(deps: McpDeps, create: () => McpServer) {
    const { onError } = deps;
    const maxRequestBodySize = BODY_BYTES_MAX;
    this.deps = deps;
    this.sessions = new HttpSessions({ create, maxRequestBodySize, onError, nowMs: Date.now });
    this.modern = createMcpHandler(create, {
      legacy: 'reject',
      onerror: onError,
      maxSubscriptions: LISTENS_MAX,
      maxRequestBodySize,
    });
    this.listens = new Listens(deps, (uri) => this.modern.notify.resourceUpdated(uri));
    this.respond = toNodeHandler({ fetch: (request) => this.fetch(request) }, { onerror: onError, maxRequestBodySize });
  }

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.respond(request, response);
  }

  async close(): Promise<void> {
    this.listens.closeAll();
    this.deps.watches.close();
    await Promise.all([this.modern.close(), this.sessions.closeAll()]);
  }

  private async fetch(received: Request): Promise<Response> {
    const request = await readable(received);
    if (await isLegacyRequest(request, undefined, { maxRequestBodySize: BODY_BYTES_MAX })) {
      return this.sessions.fetch(request);
    }
    if (request.headers.get('mcp-method') !== 'subscriptions/listen') return this.modern.fetch(request);
    return listening(this.deps, this.listens, request, this.modern.fetch);
  }
}

/** The request with the arguments of its tool as `withArguments` reads them. */
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
