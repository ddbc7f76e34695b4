import { hostOf, proxyVariable } from './proxy.ts';

/** Texts of grpc-js about a connection that was not made. */
const LAST_ERROR = /.*Last error: (?:Error: )?(.*?)(?:\. Resolution note.*)?$/s;
/** The server ended a connection, or answered with other bytes than HTTP/2. */
const NOT_HTTP2 = /^Failed to connect \(|protocol error|ECONNRESET|socket hang up/i;

/** Why there is no connection, and what to do, from the text of gRPC; undefined where gRPC does not say it. */
export function unreachableText(address: string, details: string, usesTls: boolean): string | undefined {
  const [, last] = LAST_ERROR.exec(details) ?? [];
  const why = last ?? (/^Name resolution failed/.test(details) ? details : undefined);
  if (why === undefined) return undefined;
  const proxy = proxyVariable(address);
  if (proxy !== undefined)
    return `no connection to ${address} over the proxy of ${proxy}${reason(why)}; ${withoutProxy(address)}`;
  if (why === 'null' || why === 'undefined') return unexplainedText(address);
  if (/ECONNREFUSED|ENOENT/.test(why)) {
    return `connection refused at ${address}: is it running? (mneme serve) [${why.trim()}]`;
  }
  if (usesTls && /wrong version number|packet length too long/i.test(why)) {
    return `no TLS at ${address}: the server speaks plaintext, so connect without tls`;
  }
  if (!usesTls && NOT_HTTP2.test(why)) {
    return `no plaintext gRPC at ${address}: the server ended the connection; where it speaks TLS, connect with tls`;
  }
  if (/certificate|altnames/i.test(why)) {
    return `no connection to ${address}: ${why.trim()} (tls.ca has the authority, tls.serverName the name of the certificate)`;
  }
  return `no connection to ${address}: ${why.trim()}`;
}

/** Where gRPC does not say why. */
export function unexplainedText(address: string): string {
  return `no connection to ${address}`;
}

/** For an address that did not answer in time. */
export function silentText(address: string): string {
  const proxy = proxyVariable(address);
  const hint = proxy === undefined ? '' : ` over the proxy of ${proxy}; ${withoutProxy(address)}`;
  return `no connection to ${address} in time${hint}`;
}

function withoutProxy(address: string): string {
  return `set no_proxy=${hostOf(address)} to connect without it`;
}

function reason(why: string): string {
  return why === 'undefined' ? '' : `: ${why.trim()}`;
}
