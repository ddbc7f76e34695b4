import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** What is at an address, as far as its first bytes show. */
export type AddressAnswer =
  | 'grpc'
  | 'tls'
  /** HTTP/1.1. */
  | 'http'
  /** Bytes of another protocol, or a connection that is closed at once. */
  | 'other'
  /** A connection is accepted, and nothing comes within the time. */
  | 'silent'
  | 'refused'
  | 'unknown_host'
  | 'unreachable';

const TIMEOUT_MS = 2000;
const PORT_DEFAULT = 50_051;
/** How a client begins HTTP/2 (RFC 9113): a preface and its settings, which are empty here. */
const HTTP2_PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const SETTINGS_FRAME = 4;
const TLS_ALERT = 0x15;

/** Connects to `host:port`, `[address]:port` or `unix:path` and finds out what answers there. */
export async function probeAddress(address: string, timeoutMs = TIMEOUT_MS): Promise<AddressAnswer> {
  const plain = await probePlain(address, timeoutMs);
  if (plain !== 'other' && plain !== 'silent') return plain;
  return (await speaksTls(address, timeoutMs)) ? 'tls' : plain;
}

function probePlain(address: string, timeoutMs: number): Promise<AddressAnswer> {
  return new Promise((resolve) => {
    const socket = connect(targetOf(address));
    const end = (answer: AddressAnswer) => {
      socket.destroy();
      resolve(answer);
    };
    let isConnected = false;
    socket.setTimeout(timeoutMs, () => end(isConnected ? 'silent' : 'unreachable'));
    socket.once('connect', () => {
      isConnected = true;
      socket.write(HTTP2_PREFACE);
    });
    socket.once('data', (bytes) => end(protocolOf(bytes)));
    socket.once('end', () => end('other'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(isConnected ? 'other' : failureOf(error)));
  });
}

function protocolOf(bytes: Buffer): AddressAnswer {
  if (bytes[0] === TLS_ALERT) return 'tls';
  if (bytes.subarray(0, 5).toString('latin1') === 'HTTP/') return 'http';
  return bytes[3] === SETTINGS_FRAME ? 'grpc' : 'other';
}

function failureOf({ code }: NodeJS.ErrnoException): AddressAnswer {
  if (code === 'ECONNREFUSED' || code === 'ENOENT') return 'refused';
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? 'unknown_host' : 'unreachable';
}

function speaksTls(address: string, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    // Whose certificate it is does not matter here: nothing is sent.
    const socket: Socket = connectTls({ ...targetOf(address), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('secureConnect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('end', () => end(false));
  });
}

function targetOf(address: string): { path: string } | { host: string; port: number } {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) };
  const [, bracketed, host = address, port] = /^(?:\[(.*)\]|([^:]+))(?::(\d+))?$/.exec(address) ?? [];
  return { host: bracketed ?? host, port: port === undefined ? PORT_DEFAULT : Number(port) };
}
