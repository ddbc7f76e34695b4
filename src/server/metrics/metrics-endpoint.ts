import { hash, timingSafeEqual } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createMetrics, type Gauges, type Metrics } from './metrics.ts';

export interface MetricsEndpoint {
  readonly address: string;
  /** The counter of the calls. */
  readonly meter: Metrics;
  /** New connections get this certificate. */
  replaceTls(pair: TlsPair): void;
  close(): Promise<void>;
}

/** Contents of PEM files. */
export interface TlsPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Answers of the server to probes. */
export interface Probes {
  /** The server accepts calls. */
  readonly isServing: boolean;
  /** The same of a service by its full name, which depends on its backends; `undefined` of an unknown one. */
  isServiceServing(service: string): boolean | undefined;
}

export interface EndpointOptions {
  readonly listen: string;
  /** Absent: without TLS. */
  readonly tls?: TlsPair;
  /** Bearer tokens, of which readers of `/metrics` send one; none: none is needed. */
  readonly tokens: readonly string[];
  /** Namespaces that have a label of their own. */
  readonly namespacesMax: number;
  /** The metrics could not be read. */
  readonly onFault: (error: unknown) => void;
}

/** Longest wait for the headers of a request, and for a whole one: readers are few and near. */
const REQUEST_MS = 10_000;
const CONNECTIONS_MAX = 64;

/**
 * Serves over HTTP/1.1: `/metrics` for Prometheus, `/healthz` (200 while the process answers), `/readyz` (200 while calls are
 * accepted, else 503).
 */
export async function serveMetrics(options: EndpointOptions, gauges: Gauges, probes: Probes): Promise<MetricsEndpoint> {
  const meter = createMetrics(gauges, options);
  const digests = options.tokens.map(digestOf);
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response, { meter, probes, digests }).catch((error: unknown) => {
      options.onFault(error);
      response.writeHead(500).end('the metrics could not be read; the log has the details\n');
    });
  };
  const tlsServer = options.tls && (await import('node:https')).createServer(options.tls, serve);
  const server: Server | TlsServer = tlsServer ?? createHttpServer(serve);
  server.headersTimeout = REQUEST_MS;
  server.requestTimeout = REQUEST_MS;
  server.maxConnections = CONNECTIONS_MAX;
  await listenOn(server, options.listen);
  const { address, port } = server.address() as AddressInfo;
  return {
    address: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    meter,
    replaceTls: (pair) => tlsServer?.setSecureContext(pair),
    close: () =>
      new Promise((resolve) => {
        meter.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Answering {
  readonly meter: Metrics;
  readonly probes: Probes;
  /** SHA-256 of the tokens. */
  readonly digests: readonly Buffer[];
}

const PATHS = 'there are /metrics, /healthz and /readyz\n';

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { meter, probes, digests }: Answering,
): Promise<void> {
  const { pathname = '', searchParams } = URL.parse(request.url ?? '/', 'http://server') ?? {};
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end('only GET and HEAD are served\n');
  } else if (pathname === '/metrics') {
    if (digests.length > 0 && !hasTokenOf(request, digests)) {
      response
        .writeHead(401, { 'www-authenticate': 'Bearer' })
        .end('the bearer token of --metrics-token-file is needed\n');
      return;
    }
    const body = await meter.exposition();
    response.writeHead(200, { 'content-type': meter.contentType }).end(body);
  } else if (pathname === '/healthz') {
    response.writeHead(200).end('alive\n');
  } else if (pathname === '/readyz') {
    const service = searchParams?.get('service') ?? null;
    const isReady = service === null ? probes.isServing : probes.isServiceServing(service);
    if (isReady === undefined) response.writeHead(404).end('the server has no such service\n');
    else response.writeHead(isReady ? 200 : 503).end(isReady ? 'ready\n' : 'not ready\n');
  } else {
    response.writeHead(404).end(PATHS);
  }
}

const digestOf = (token: string): Buffer => hash('sha256', token, 'buffer');

/** No early exit: every token is compared. */
function hasTokenOf({ headers }: IncomingMessage, digests: readonly Buffer[]): boolean {
  const [, token] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? [];
  if (token === undefined) return false;
  const sent = digestOf(token);
  return digests.filter((digest) => timingSafeEqual(digest, sent)).length > 0;
}

function listenOn(server: Server | TlsServer, listen: string): Promise<void> {
  const at = listen.lastIndexOf(':');
  const host = listen.slice(0, at).replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why =
        cause.code === 'EADDRINUSE' ? 'is in use by another program' : `cannot be listened on (${cause.code})`;
      reject(new Error(`${listen} ${why}: give another one with --metrics-listen`, { cause }));
    });
    server.listen({ host, port: Number(listen.slice(at + 1)) }, resolve);
  });
}
