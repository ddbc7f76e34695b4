import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMetrics, type Gauges, type Metrics } from './metrics.ts';

export interface MetricsEndpoint {
  readonly address: string;
  /** The counter of the calls. */
  readonly meter: Metrics;
  close(): Promise<void>;
}

/** Serves `/metrics` for Prometheus and `/healthz` (200 while serving, else 503) over HTTP/1.1. */
export async function serveMetrics(listen: string, gauges: Gauges, isServing: () => boolean): Promise<MetricsEndpoint> {
  const meter = createMetrics(gauges);
  const server = createServer((request, response) => {
    answer(request, response, meter, isServing).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await listenOn(server, listen);
  const { address, port } = server.address() as AddressInfo;
  return {
    address: address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
    meter,
    close: () =>
      new Promise((resolve) => {
        meter.stop();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  meter: Metrics,
  isServing: () => boolean,
): Promise<void> {
  const path = request.url?.split('?', 1)[0];
  if (path === '/metrics') {
    const body = await meter.exposition();
    response.writeHead(200, { 'content-type': meter.contentType }).end(body);
  } else if (path === '/healthz') {
    response.writeHead(isServing() ? 200 : 503).end(isServing() ? 'serving\n' : 'not serving\n');
  } else {
    response.writeHead(404).end('there are /metrics and /healthz\n');
  }
}

function listenOn(server: Server, listen: string): Promise<void> {
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
