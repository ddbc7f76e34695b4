import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendError } from './mount.ts';

const CORS_HEADERS = {
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, content-encoding, connect-protocol-version, connect-timeout-ms, ' +
    'connect-content-encoding, grpc-timeout, x-grpc-web, x-user-agent, x-request-id, mneme-scope, traceparent, ' +
    'tracestate, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name, last-event-id',
  'access-control-max-age': '7200',
};
const EXPOSED = 'grpc-status, grpc-message, grpc-status-details-bin, x-request-id, mcp-session-id';

/**
 * Decides which pages of browsers may call. A page of another origin may only where the settings name its origin. On
 * loopback the host of a request must be loopback too, or that of an allowed origin: the name of another site that
 * leads here would make its pages pages of this server.
 */
export class Admission {
  private readonly origins: ReadonlySet<string>;
  private readonly hosts: ReadonlySet<string>;

  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
    this.hosts = new Set(origins.map((origin) => new URL(origin).host));
  }

  /** Whether the request may be served; otherwise it is answered. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const { origin, host = '' } = request.headers;
    if (!this.knowsHost(request, host)) {
      const rule = 'a server on loopback is called as localhost, 127.0.0.1 or [::1]';
      return refuse(
        request,
        response,
        `${shown(host)} is not a host of this server: ${rule}, or as a host of --http-origins`,
      );
    }
    if (origin === undefined) return true;
    if (this.origins.has(origin)) return allowed(request, response, origin);
    if (origin === `http://${host}` || origin === `https://${host}`) return true;
    return refuse(
      request,
      response,
      `pages of ${shown(origin)} may not call: --http-origins names the origins that may`,
    );
  }

  private knowsHost({ socket }: IncomingMessage, host: string): boolean {
    // Only programs of this machine reach a socket of the file system, and no page of a browser.
    if (socket.localAddress === undefined || !isLoopbackHost(socket.localAddress)) return true;
    return isLoopbackHost(host.replace(/:\d+$/, '')) || this.hosts.has(host);
  }
}

/** Answers a preflight; gives the page of an allowed origin the answer of any other request. */
function allowed(request: IncomingMessage, response: ServerResponse, origin: string): boolean {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  if (request.method !== 'OPTIONS') {
    response.setHeader('access-control-expose-headers', EXPOSED);
    return true;
  }
  if (request.headers['access-control-request-private-network'] === 'true') {
    response.setHeader('access-control-allow-private-network', 'true');
  }
  response.writeHead(204, CORS_HEADERS).end();
  return false;
}

function refuse(request: IncomingMessage, response: ServerResponse, message: string): false {
  request.resume();
  sendError(response, 403, 'permission_denied', message);
  return false;
}

function shown(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}

/** Whether a host without a port, or an address, is that of this machine for itself. */
function isLoopbackHost(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '');
  if (bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1') return true;
  return /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/.test(bare);
}
