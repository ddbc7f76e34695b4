import { MnemeError } from '../../memory/errors.ts';

/** Reason for which Redis is unusable, in the metadata of the error under `fault`. */
export type RedisFault =
  | 'timeout'
  | 'disconnected'
  | 'circuit_open'
  | 'read_only'
  | 'loading'
  | 'cluster_down'
  | 'persistence_failed'
  | 'credentials'
  | 'busy'
  | 'flushed'
  | 'rolled_back'
  | 'superseded'
  | 'other_records';

const SAYS: Readonly<Record<RedisFault, string>> = {
  timeout: 'Redis does not answer in time; a write may have taken effect',
  disconnected: 'there is no connection to Redis; a write that was under way may have taken effect',
  circuit_open: 'Redis has failed several times in a row and is left alone for a moment',
  read_only: 'this Redis is a read-only replica',
  loading: 'Redis is starting and loads its data',
  cluster_down: 'this part of the Redis cluster has no node that serves it, or moves to another one',
  persistence_failed: 'Redis cannot write to its disk and refuses to change anything',
  credentials: 'Redis refuses the credentials of this server',
  busy: 'Redis is busy with a script',
  flushed: 'Redis has lost what was stored in it: it was emptied or restarted without its data',
  rolled_back: 'Redis has lost its latest writes: it was restarted with older data, or a replica took over too early',
  other_records: 'the sessions under this Redis key prefix are of servers with another PostgreSQL',
  superseded: 'another server holds the Redis key prefix: this one did not renew its lease in time',
};

/** First words of an error reply of Redis, and their meaning. */
const REPLIES: readonly (readonly [RegExp, RedisFault])[] = [
  [/^READONLY/, 'read_only'],
  [/^(LOADING|MASTERDOWN)/, 'loading'],
  [/^(CLUSTERDOWN|TRYAGAIN|MOVED|ASK) /, 'cluster_down'],
  [/^(MISCONF|NOREPLICAS)/, 'persistence_failed'],
  [/^(NOAUTH|WRONGPASS|NOPERM|DENIED)/, 'credentials'],
  [/^BUSY/, 'busy'],
];

/** Errors of the client for a missing reply, by class name. */
const SILENT = new Set([
  'ClientClosedError',
  'ClientOfflineError',
  'ConnectionTimeoutError',
  'DisconnectsClientError',
  'MaxCommandRedirectionsError',
  'ReconnectStrategyError',
  'RootNodesUnavailableError',
  'SocketClosedUnexpectedlyError',
  'SocketTimeoutError',
]);
const NO_SOCKET = /^(E(CONN\w+|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT)|ENOTFOUND|EAI_AGAIN)$/;

export function redisUnavailable(fault: RedisFault, cause?: unknown): MnemeError {
  const metadata = { backend: 'redis', fault };
  return new MnemeError('STORAGE_UNAVAILABLE', SAYS[fault], { metadata, cause });
}

/** Whether an error of the client means a missing reply, so that the outcome of a write is unknown. */
export function isSilence(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (SILENT.has(error.constructor.name)) return true;
  return 'code' in error && typeof error.code === 'string' && NO_SOCKET.test(error.code);
}

/** Whether a command was left out: its signal was aborted before it was written to the socket. */
export function isLeftOut(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'AbortError';
}

/** Whether Redis replied, if only with an error. */
export function isReply(error: unknown): boolean {
  return error instanceof Error && /^(Simple|Blob)Error$|^ErrorReply$/.test(error.constructor.name);
}

/**
 * Translates an error of Redis or its client into an error for callers; errors that show a defect are returned
 * unchanged.
 */
export function translated(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof MnemeError) return error;
  if (isSilence(error)) return redisUnavailable('disconnected', error);
  if (/^OOM/.test(error.message)) {
    const message = 'Redis has used up its memory: writes fail until space is freed';
    return new MnemeError('STORAGE_FULL', message, { metadata: { backend: 'redis' }, cause: error });
  }
  if (error.message === 'The queue is full') {
    const message = 'too many calls wait for Redis';
    return new MnemeError('QUEUE_FULL', message, { metadata: { backend: 'redis' }, cause: error });
  }
  const fault = REPLIES.find(([words]) => words.test(error.message))?.[1];
  return fault ? redisUnavailable(fault, error) : error;
}
