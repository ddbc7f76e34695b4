import { randomUUID } from 'node:crypto';
import { type McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

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
