import { CommanderError } from 'commander';
import { MnemeError, type StatusCode } from '../../clients/typescript/src/index.ts';
import { type AddressAnswer, probeAddress } from './probe-address.ts';

interface FailureOptions extends ErrorOptions {
  readonly exitCode?: number;
  readonly code?: StatusCode | 'FAILED';
}

/** What went wrong on this side, in a sentence for people. */
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

/** Of what commander says: `error: unknown option '--limt'`, and `(Did you mean --limit?)` on a second line. */
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
      return '"mneme list" shows the ids of what is stored.';
    case 'NAMESPACE_NOT_FOUND':
      return '"mneme namespaces list" shows all; the first memory stored in one creates it.';
    case 'CREDENTIALS_INVALID':
      return 'Give a token of the server with --token or MNEME_TOKEN.';
    case 'SCOPE_PRIVATE':
      return 'Call from that scope with --as, such as --as agent=ada; --as "*" sees every scope.';
    case 'NAMESPACE_NOT_EMPTY':
      return 'Erase its memories too with --force.';
    case 'QUEUE_FULL':
    case 'OVERLOADED':
    case 'DRAINING':
      return retryDelayMs > 0 ? `Try again in ${Math.ceil(retryDelayMs / 1000)} s.` : 'Try again.';
    case 'STORAGE_FULL':
      return metadata.backend === 'redis'
        ? 'Raise its maxmemory, or make room with "mneme maintain --flush"; what is stored can still be read.'
        : 'Free space on the disk of the server; what is stored can still be read.';
    case 'INTERNAL':
      return `The log of the server has the cause, under request ${metadata.request_id ?? ''}.`;
    default:
      return code === 'DEADLINE_EXCEEDED' ? 'Allow more time with --timeout.' : undefined;
  }
}

export function messageOf(error: unknown): string {
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  if (path && syscall) return code === 'ENOENT' ? `${path} does not exist` : `${path} cannot be used (${code})`;
  return oneLine(error instanceof Error ? error.message : String(error));
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

interface Connection {
  readonly address: string;
  readonly isEncrypted: boolean;
}

/** What to say of a call that failed; where no server could be reached, in words and with what to do. */
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
      return `what answers at ${address} is an HTTP/1.1 server, not Mneme. Correct the port in --server.`;
    case 'other':
    case 'silent':
      return `something accepts connections at ${address} and does not answer as Mneme does. Correct --server, or restart that server.`;
  }
}

/** Both sides use TLS: what the handshake says is wrong. */
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
