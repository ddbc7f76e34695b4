import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { McpServer } from '@modelcontextprotocol/server';
import { type ConnectOptions, connect, MnemeError } from '../../../clients/typescript/src/index.ts';
import { HttpEndpoint } from './http-endpoint.ts';
import { RecallWatches } from './recall-watches.ts';
import { createMnemeMcpServer } from './serve-stdio.ts';
import type { ServedNamespaces } from './served-namespaces.ts';
import type { McpDeps } from './tool.ts';

/** Most requests and streams that are open at the same time. */
const OPEN_MAX = 256;
/** Most requests whose bodies are on their way at the same time: another one ends the oldest of them. */
const ARRIVING_MAX = 64;
/** Most pairs of a namespace and a caller with a session or an open request. */
const ENDPOINTS_MAX = 200;
const DEFAULT_NAMESPACE = 'default';
/** What proves and narrows the identity of a caller. */
const CALLER_HEADERS = ['authorization', 'mneme-scope'] as const;

export interface HttpMountOptions {
  /** A channel to the API for calls with the credentials of a request. */
  readonly channelFor: (request: IncomingMessage) => ConnectOptions['channel'];
  readonly version: string;
  readonly onError: (error: unknown) => void;
  /** Makes the server of a session or request. */
  readonly create?: (deps: McpDeps) => McpServer;
  readonly watch?: (served: ServedNamespaces, onError: (error: unknown) => void) => RecallWatches;
}

interface OpenEndpoint {
  readonly endpoint: HttpEndpoint;
  openCount: number;
}

/**
 * MCP over HTTP at `/mcp/{namespace}`, and at `/mcp` for the default namespace. Every caller has its own sessions,
 * subscriptions and calls of the API: none is served with the rights of another.
 */
export class McpHttpMount {
  private readonly options: HttpMountOptions;
  /** The least recently used first. */
  private readonly endpoints = new Map<string, Promise<OpenEndpoint | undefined>>();
  private readonly arriving = new ArrivingRequests();
  private openCount = 0;

  constructor(options: HttpMountOptions) {
    this.options = options;
  }

  async handle(request: IncomingMessage, response: ServerResponse, { pathname }: URL): Promise<boolean> {
    const namespace = namespaceIn(pathname);
    if (namespace === undefined) return false;
    this.arriving.add(request);
    if (this.openCount >= OPEN_MAX) {
      const message = `At most ${OPEN_MAX} requests and streams can be open at the same time. Try again later.`;
      refuse(response, 503, message, { 'retry-after': '1' });
      return true;
    }
    this.openCount += 1;
    response.once('close', () => {
      this.openCount -= 1;
    });
    await this.serve(namespace, request, response);
    return true;
  }

  async close(): Promise<void> {
    const open = await Promise.allSettled(this.endpoints.values());
    this.endpoints.clear();
    const endpoints = open.flatMap((each) => (each.status === 'fulfilled' && each.value ? [each.value.endpoint] : []));
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  }

  private async serve(namespace: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = await this.endpointFor(namespace, request);
    if (found === undefined) {
      const message = 'Valid credentials are required, such as Authorization: Bearer TOKEN';
      refuse(response, 401, message, { 'www-authenticate': 'Bearer' });
      return;
    }
    found.openCount += 1;
    response.once('close', () => {
      found.openCount -= 1;
    });
    found.endpoint.handle(request, response).catch(this.options.onError);
  }

  /** The endpoint of the caller; undefined where the server refuses its credentials. */
  private async endpointFor(namespace: string, request: IncomingMessage): Promise<OpenEndpoint | undefined> {
    const key = callerKey(namespace, request);
    const opening = this.endpoints.get(key) ?? this.open(namespace, request);
    this.endpoints.delete(key);
    this.endpoints.set(key, opening);
    const found = await opening.catch(() => undefined);
    if (found === undefined) this.endpoints.delete(key);
    else await this.closeUnused(found);
    return found;
  }

  private async open(namespace: string, request: IncomingMessage): Promise<OpenEndpoint | undefined> {
    const { channelFor, version, onError, create = createMnemeMcpServer, watch = newWatches } = this.options;
    const mneme = connect('localhost', { namespace, channel: channelFor(request) });
    try {
      await mneme.admin.getServerInfo();
    } catch (error) {
      // A caller without that right has others.
      if (error instanceof MnemeError && error.code === 'UNAUTHENTICATED') return undefined;
    }
    const served = { mneme, allNamespaces: false };
    const watches = watch(served, onError);
    const deps: McpDeps = { ...served, version, explain: async (error) => error, onError, watches };
    return { endpoint: new HttpEndpoint(deps, () => create(deps)), openCount: 0 };
  }

  /** Keeps the number of endpoints within its limit: those without an open request are closed, the oldest first. */
  private async closeUnused(used: OpenEndpoint): Promise<void> {
    for (const [key, opening] of this.endpoints) {
      if (this.endpoints.size <= ENDPOINTS_MAX) return;
      const found = await opening.catch(() => undefined);
      if (found === used || (found && found.openCount > 0)) continue;
      this.endpoints.delete(key);
      found?.endpoint.close().catch(this.options.onError);
    }
  }
}

const newWatches: NonNullable<HttpMountOptions['watch']> = (served, onError) => new RecallWatches(served, onError);

/** Requests whose bodies are still arriving. Their number is limited: each holds memory for the bytes that have arrived. */
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

/** The namespace of `/mcp` and of `/mcp/{namespace}`. */
function namespaceIn(pathname: string): string | undefined {
  const [, encoded] = /^\/mcp(?:\/([^/]*))?$/.exec(pathname) ?? [];
  if (encoded === undefined) return pathname === '/mcp' ? DEFAULT_NAMESPACE : undefined;
  try {
    return decodeURIComponent(encoded) || DEFAULT_NAMESPACE;
  } catch {
    return undefined;
  }
}

/** The same for requests that the API would serve with the same rights. */
function callerKey(namespace: string, { headers, socket }: IncomingMessage): string {
  const certificate = 'getPeerX509Certificate' in socket ? (socket as TLSSocket).getPeerX509Certificate() : undefined;
  const parts = [namespace, certificate?.fingerprint256, ...CALLER_HEADERS.map((name) => headers[name])];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
}
