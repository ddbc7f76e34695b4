import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CommanderError } from 'commander';
import { MnemeError, NotFoundError, type StatusCode } from '../../clients/typescript/src/index.ts';

interface FailureOptions extends ErrorOptions {
  readonly exitCode?: number;
  readonly code?: StatusCode | 'FAILED';
}

/** A failure of the command itself, described in one sentence. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  /** Name of the gRPC status that it comes from, for `--json`. */
  readonly code: StatusCode | 'FAILED';

  constructor(message: string, { exitCode = FAILURE, code = 'FAILED', ...options }: FailureOptions = {}) {
    super(message, options);
    this.exitCode = exitCode;
    this.code = code;
  }
}

const FAILURE = 1;
export const USAGE = 2;
export const NOT_FOUND = 3;
export const UNAVAILABLE = 4;
/** The input was not accepted. */
export const INPUT_REFUSED = 5;
/** Some of the input was not stored, the rest was. */
export const PARTLY_DONE = 9;
export const INTERRUPTED = 130;

/** Documented in `docs/cli.md`. */
const EXIT_CODES: Readonly<Partial<Record<StatusCode, number>>> = {
  CANCELLED: INTERRUPTED,
  NOT_FOUND,
  UNAVAILABLE,
  DEADLINE_EXCEEDED: UNAVAILABLE,
  INVALID_ARGUMENT: 5,
  OUT_OF_RANGE: 5,
  ALREADY_EXISTS: 6,
  ABORTED: 6,
  FAILED_PRECONDITION: 6,
  UNAUTHENTICATED: 7,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
};

/** The command line was wrong: exit code 2. */
export function usage(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: USAGE });
}

/** Prints a failure on stderr, in one line that begins with `mneme: ` or as JSON; returns the exit code. */
export function reportFailure(error: unknown, { json }: { json: boolean }): number {
  process.stderr.write(json ? `${JSON.stringify({ error: failureJson(error) })}\n` : `mneme: ${sentenceOf(error)}\n`);
  if (error instanceof CommanderError) return USAGE;
  if (error instanceof CommandFailure) return error.exitCode;
  return error instanceof MnemeError ? (EXIT_CODES[error.code] ?? FAILURE) : FAILURE;
}

function failureJson(error: unknown): object {
  if (error instanceof MnemeError) {
    const { code, reason, message, metadata, violations, retryable, retryDelayMs } = error;
    return { code, reason, message, metadata, violations, retryable, retryDelayMs };
  }
  const isUsage = error instanceof CommanderError || (error instanceof CommandFailure && error.exitCode === USAGE);
  const code = isUsage ? 'USAGE' : error instanceof CommandFailure ? error.code : 'FAILED';
  return { code, message: sentenceOf(error), metadata: {}, violations: [], retryable: false };
}

function sentenceOf(error: unknown): string {
  if (error instanceof CommanderError) return usageSentenceOf(error.message);
  if (!(error instanceof MnemeError)) return messageOf(error);
  const what = oneLine(error.message);
  const remedy = remedyOf(error);
  return remedy === undefined ? what : `${what.replace(/\.$/, '')}. ${remedy}`;
}

/** Parses commander's message: `error: unknown option '--limt'`, and `(Did you mean --limit?)` on a second line. */
function usageSentenceOf(message: string): string {
  const [what = '', suggestion = ''] = message
    .replace(/^error: /, '')
    .replace(/^command-argument value (.*) is invalid for argument '(.*?)'\. /, '<$2>: $1 is invalid. ')
    .split(/\n\(|\)\s*$/);
  return oneLine(suggestion === '' ? what : `${what}. ${suggestion}`);
}

function remedyOf(error: MnemeError): string | undefined {
  const { code, reason, retryDelayMs = 0, metadata } = error;
  switch (reason) {
    case 'MEMORY_NOT_FOUND':
      return '"mneme list" shows the ids of stored memories.';
    case 'NAMESPACE_NOT_FOUND':
      return '"mneme namespaces list" shows all; the first memory stored in one creates it.';
    case 'CREDENTIALS_INVALID':
      return 'Give a token of the server with --token or MNEME_TOKEN.';
    case 'PERMISSION_MISSING':
      return 'The policy file of the server grants it; see docs/identity.md.';
    case 'SCOPE_PRIVATE':
      return 'Call from that scope with --as, such as --as agent=ada; --as "*" sees every scope.';
    case 'NAMESPACE_NOT_EMPTY':
      return 'Erase its memories too with --force.';
    case 'QUOTA_EXCEEDED':
      return retryDelayMs > 0
        ? `Try again in ${Math.ceil(retryDelayMs / 1000)} s.`
        : 'The policy file of the server has the limit; see docs/quotas.md.';
    case 'QUEUE_FULL':
    case 'OVERLOADED':
    case 'DRAINING':
      return retryDelayMs > 0 ? `Try again in ${Math.ceil(retryDelayMs / 1000)} s.` : 'Try again.';
    case 'STORAGE_FULL':
      return metadata.backend === 'redis'
        ? 'Raise its maxmemory, or free space with "mneme maintain --flush"; reads continue.'
        : 'Free space on the disk of the server, or delete memories; reads and deletions continue.';
    case 'INTERNAL':
      return `The log of the server has the cause, under request ${metadata.request_id ?? ''}.`;
    default:
      return code === 'DEADLINE_EXCEEDED' ? 'Allow more time with --timeout.' : undefined;
  }
}

export function messageOf(error: unknown): string {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (path && syscall) return code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be used (${code})`;
  if (code === 'EISDIR') return 'a folder is named where a file is expected';
  return oneLine(error instanceof Error ? error.message : String(error));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

interface Connection {
  readonly address: string;
  readonly isEncrypted: boolean;
}

/** Explains a failed call; when no server was reachable, in words and with advice. */
export async function explained(error: unknown, connection: Connection): Promise<unknown> {
  const isUnreached =
    error instanceof MnemeError &&
    error.reason === undefined &&
    (error.code === 'UNAVAILABLE' || (error.code === 'DEADLINE_EXCEEDED' && error.message.startsWith('no connection')));
  if (!isUnreached) return error;
  const answer = await probeAddress(connection.address);
  const sentence = connectionSentenceOf(answer, connection, error.message);
  if (sentence === undefined) return error;
  return new CommandFailure(sentence, { exitCode: UNAVAILABLE, code: error.code, cause: error });
}

function connectionSentenceOf(
  answer: AddressAnswer,
  { address, isEncrypted }: Connection,
  why: string,
): string | undefined {
  switch (answer) {
    case 'refused':
      return `no server answers at ${address}: connection refused. Is it running? ${startOf(address)}, or name another server with --server.`;
    case 'unknown_host':
      return `the host of ${address} is not known. Correct --server or MNEME_SERVER.`;
    case 'unreachable':
      return `${address} cannot be reached. Correct --server or MNEME_SERVER, or look for a firewall in between.`;
    case 'grpc':
      if (!isEncrypted) return undefined;
      return `the server at ${address} does not use TLS. Leave out --tls and the flags that begin with --tls-.`;
    case 'tls':
      if (!isEncrypted)
        return `the server at ${address} uses TLS. Add --tls, or --tls-ca with the file of its authority.`;
      return certificateSentenceOf(address, why);
    case 'http':
      return `the service at ${address} is an HTTP/1.1 server, not Mneme. Correct the port in --server.`;
    case 'other':
    case 'silent':
      return `a service accepts connections at ${address} and does not answer as Mneme does. Correct --server, or restart that server.`;
  }
}

/** Both sides use TLS: the reason for the failed handshake. */
function certificateSentenceOf(address: string, why: string): string {
  const of = `the certificate of ${address}`;
  if (/altnames|does not match/i.test(why)) return `${of} is for another name. Give that name with --tls-server-name.`;
  if (/expired/i.test(why)) return `${of} has expired.`;
  if (/self.signed|issuer|verify|first certificate/i.test(why)) {
    return `${of} is not from a known authority. Give the file of its authority with --tls-ca.`;
  }
  return `the server at ${address} did not accept the TLS connection; perhaps it asks for a client certificate. Give one with --tls-cert and --tls-key.`;
}

function startOf(address: string): string {
  const isLocal = /^(127\.|localhost|\[::1\]|unix:)/.test(address);
  if (!isLocal) return 'Start it there with "mneme serve"';
  return `Start it with "mneme serve${/^127\.0\.0\.1(:50051)?$/.test(address) ? '' : ` --listen ${address}`}"`;
}

/** The kind of service at an address, judged by its first bytes. */
export type AddressAnswer =
  | 'grpc'
  | 'tls'
  /** HTTP/1.1. */
  | 'http'
  /** Bytes of another protocol, or a connection that is closed at once. */
  | 'other'
  /** It accepts a connection and sends nothing within the timeout. */
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

/** Connects to `host:port`, `[address]:port` or `unix:path` and identifies the service. */
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
    // The certificate's owner is irrelevant: no data is sent.
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

const SHOWN_MAX = 3;

/** Reports the first of many faults of one kind as they come, and at the end the number of the others. */
export class FirstFaults {
  private count = 0;
  private readonly options: { readonly json: boolean };

  constructor(options: { readonly json: boolean }) {
    this.options = options;
  }

  /** Whether the fault is among the first, and reported. */
  report(fault: unknown): boolean {
    this.count++;
    if (this.count > SHOWN_MAX) return false;
    reportFailure(fault, this.options);
    return true;
  }

  /** Reports how many more there were; `what` they are, such as `wrong lines`. */
  reportOthers(what: string): void {
    const others = this.count - SHOWN_MAX;
    if (others > 0 && !this.options.json) process.stderr.write(`mneme: and ${others} more ${what}\n`);
  }
}

/** The result of a call, or that of an empty namespace where there is none yet: nothing was stored in it. */
export async function orEmpty<Result>(call: Promise<Result>, empty: Result): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (isAbsentNamespace(error)) return empty;
    throw error;
  }
}

/** Items of a namespace; none where there is no namespace yet. */
export async function* eachOrNone<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
  try {
    yield* items;
  } catch (error) {
    if (!isAbsentNamespace(error)) throw error;
  }
}

function isAbsentNamespace(error: unknown): boolean {
  return error instanceof NotFoundError && error.reason === 'NAMESPACE_NOT_FOUND';
}
