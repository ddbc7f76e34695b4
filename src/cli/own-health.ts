import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { connect as connectTls, type SecureContextOptions } from 'node:tls';
import type { RawMethod } from '../../clients/typescript/src/index.ts';
import type { Config } from '../server/config/config.ts';
import { CommandFailure, UNAVAILABLE } from './failure.ts';

/** Makes a unary call. */
export type Ask = <Q extends object, A extends object>(method: RawMethod<Q, A>, request: Partial<Q>) => Promise<A>;

/** Before each message of gRPC: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
const OK = 0;
const NOT_FOUND = 5;
/** Of callers that need a token. */
const REFUSED: Readonly<Record<number, 'PERMISSION_DENIED' | 'UNAUTHENTICATED'>> = {
  7: 'PERMISSION_DENIED',
  16: 'UNAUTHENTICATED',
};

type OwnServer = Pick<Config, 'listen' | 'tlsCert' | 'tlsKey'>;

/**
 * Makes calls without a token to the server that these settings describe, at an address of this machine. The certificate is not
 * checked, since nothing secret is sent and names of it are those that clients use; the server's own pair is shown where it
 * asks for one.
 */
export async function askOwnServer<R>(own: OwnServer, timeoutMs: number, use: (ask: Ask) => Promise<R>): Promise<R> {
  const session = openSession(own);
  try {
    const asked = use((method, request) => askedOver(session, method, request));
    return await Promise.race([asked, failureOf(session, own.listen, timeoutMs)]);
  } finally {
    session.destroy();
  }
}

/** Address of this machine at which a server can be reached that listens on all interfaces. */
export function reachable(listen: string): string {
  return listen.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:');
}

function openSession({ listen, tlsCert, tlsKey }: OwnServer): ClientHttp2Session {
  const target = targetOf(reachable(listen));
  if (tlsCert === '') return connectHttp2('http://localhost', { createConnection: () => connectSocket(target) });
  const pair: SecureContextOptions = { cert: readFileSync(tlsCert), key: readFileSync(tlsKey) };
  const tls = { ...target, ...pair, ALPNProtocols: ['h2'], rejectUnauthorized: false };
  return connectHttp2('https://localhost', { createConnection: () => connectTls(tls) });
}

function targetOf(address: string): { path: string } | { host: string; port: number } {
  if (address.startsWith('unix:')) return { path: address.replace(/^unix:(?:\/\/(?=\/))?/, '') };
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}

async function askedOver<Q extends object, A extends object>(
  session: ClientHttp2Session,
  { path, requestSerialize, requestDeserialize, responseDeserialize }: RawMethod<Q, A>,
  request: Partial<Q>,
): Promise<A> {
  const stream = session.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  let ending: IncomingHttpHeaders = {};
  const onHeaders = (headers: IncomingHttpHeaders) => {
    ending = { ...ending, ...headers };
  };
  stream.on('response', onHeaders).on('trailers', onHeaders);
  const message = requestSerialize({ ...requestDeserialize(Buffer.alloc(0)), ...request });
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  stream.end(Buffer.concat([prefix, message]));
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  const code = Number(ending['grpc-status'] ?? Number.NaN);
  if (code === NOT_FOUND) {
    throw new CommandFailure(`the server has no service ${'service' in request ? request.service : ''}`, {
      exitCode: 3,
    });
  }
  const refusal = REFUSED[code];
  if (refusal !== undefined)
    throw new CommandFailure(`${path} needs a token`, { exitCode: UNAVAILABLE, code: refusal });
  if (code !== OK) throw unanswered(`the health check ended with status ${ending['grpc-status'] ?? 'none'}`);
  return responseDeserialize(Buffer.concat(parts).subarray(PREFIX_BYTES));
}

/** Rejects when the connection fails, or after the timeout. */
function failureOf(session: ClientHttp2Session, listen: string, timeoutMs: number): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (why: string) => reject(unanswered(`no server answers at ${reachable(listen)}: ${why}`));
    session.setTimeout(timeoutMs, () => fail(`no answer within ${timeoutMs} ms`));
    session.on('error', (error: Error) => fail(error.message));
    session.on('close', () => fail('connection closed'));
  });
}

function unanswered(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: UNAVAILABLE, code: 'UNAVAILABLE' });
}
