/** One field of a request that cannot be accepted, by its path in the request message. */
export interface FieldViolation {
  readonly field: string;
  /** One sentence that names the problem with the value and the limit. */
  readonly description: string;
}

/**
 * Every way in which an operation can fail on purpose. `reason` is the closed set that `server/grpc/edge/status.ts` maps to gRPC
 * statuses and that `proto/mneme/v1/error_reason.proto` documents.
 */
export type ErrorReason =
  | 'FIELD_INVALID'
  | 'FILTER_INVALID'
  | 'PAGE_TOKEN_INVALID'
  | 'DIMENSION_MISMATCH'
  | 'MODEL_MISMATCH'
  | 'MEMORY_NOT_FOUND'
  | 'NAMESPACE_NOT_FOUND'
  | 'MEMORY_EXISTS'
  | 'MEMORY_SUPERSEDED'
  | 'FACT_NOT_SUPERSEDED'
  | 'NO_VECTORS'
  | 'NAMESPACE_EXISTS'
  | 'REQUEST_ID_REUSED'
  | 'NAMESPACE_NOT_EMPTY'
  | 'NAMESPACE_FULL'
  | 'LANE_UNAVAILABLE'
  | 'QUEUE_FULL'
  | 'QUOTA_EXCEEDED'
  | 'STORAGE_FULL'
  | 'MESSAGE_TOO_LARGE'
  | 'DRAINING'
  | 'OVERLOADED'
  | 'REVISION_NOT_YET'
  | 'STORAGE_UNAVAILABLE'
  | 'EMBEDDER_UNAVAILABLE'
  | 'CREDENTIALS_INVALID'
  | 'ISSUER_UNAVAILABLE'
  | 'PERMISSION_MISSING'
  | 'CHECKSUM_MISMATCH'
  | 'DEADLINE_EXCEEDED'
  | 'CANCELLED'
  | 'METHOD_UNKNOWN'
  | 'MESSAGE_MALFORMED'
  | 'SESSION_NOT_FOUND'
  | 'SESSION_EXISTS'
  | 'SESSION_LOST'
  | 'SESSION_STATE'
  | 'SESSION_SCOPE_MISMATCH'
  | 'SESSION_NOT_ACTIVE'
  | 'HOOK_VETOED'
  | 'HOOKS_FULL'
  | 'AGENT_TOO_LARGE'
  | 'SCOPE_READ_ONLY'
  | 'SCOPE_PRIVATE'
  | 'SCOPES_FULL'
  | 'SESSION_FULL'
  | 'VERSION_MISMATCH'
  | 'TASK_NOT_FOUND'
  | 'CHECKPOINT_NOT_FOUND'
  | 'CHECKPOINT_EXISTS'
  | 'SNAPSHOT_NOT_FOUND'
  | 'SNAPSHOT_EXISTS'
  | 'REVISION_COMPACTED'
  | 'REVISION_AHEAD'
  | 'RESUME_TOKEN_INVALID'
  | 'SLOW_CONSUMER'
  | 'TOO_MANY_STREAMS'
  | 'SUBSCRIPTION_NOT_FOUND'
  | 'SUBSCRIPTION_EXISTS'
  | 'MESSAGE_CONFLICT'
  | 'CONVERSATION_NOT_FOUND'
  | 'SUFFIX_MISMATCH'
  | 'EXTRACTOR_UNAVAILABLE'
  | 'EXTRACTION_INVALID';

/** A failure whose reason and text are sent to the caller. Any other thrown value is a defect and becomes INTERNAL. */
export class MnemeError extends Error {
  override readonly name = 'MnemeError';
  readonly reason: ErrorReason;
  /** The facts of this failure, for machines; `error_reason.proto` lists the keys of each reason. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  /** Time after which the call is worth repeating. Absent: as for every error of the reason. */
  readonly retryAfterMs: number | undefined;

  constructor(
    reason: ErrorReason,
    message: string,
    details: {
      metadata?: Readonly<Record<string, string>>;
      violations?: readonly FieldViolation[];
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.metadata = details.metadata ?? {};
    this.violations = details.violations ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** How many violations the sentence of an error names; all of them are in its details. */
const VIOLATIONS_NAMED_MAX = 8;

/** The error for bad input: names each field, its problem and the limit. */
export function invalidFields(violations: readonly FieldViolation[]): MnemeError {
  const named = violations.slice(0, VIOLATIONS_NAMED_MAX).map(({ field, description }) => `${field}: ${description}`);
  const more = violations.length > named.length ? ` (and ${violations.length - named.length} more)` : '';
  return new MnemeError('FIELD_INVALID', named.length > 0 ? `${named.join('; ')}${more}` : 'invalid request', {
    violations,
  });
}

export function memoryNotFound(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/memories/${id}`;
  return new MnemeError('MEMORY_NOT_FOUND', `${name} does not exist or has expired`, { metadata: { name } });
}

/** Whether stored bytes turned out to be others than were stored. */
export function isDamage(error: unknown): error is MnemeError {
  return error instanceof MnemeError && error.reason === 'CHECKSUM_MISMATCH';
}

/** Whether pages of the store's own files are damaged: which memories they had is not known. */
export function isStorageDamage(error: unknown): error is MnemeError {
  return isDamage(error) && error.metadata['backend'] !== undefined;
}

/** Whether a store could not be reached or used. */
export function isUnavailable(error: unknown): error is MnemeError {
  return error instanceof MnemeError && error.reason === 'STORAGE_UNAVAILABLE';
}

/** Whether a call has waited for as long as it may for a view that is built. */
export function isStillBuilding(error: unknown): error is MnemeError {
  return isUnavailable(error) && error.metadata['fault'] === 'building';
}

/** Whether work was not begun because the server shuts down. */
export function isDraining(error: unknown): error is MnemeError {
  return error instanceof MnemeError && error.reason === 'DRAINING';
}

/** Whether a namespace is not there, or not any more. */
export function isNamespaceMissing(error: unknown): error is MnemeError {
  return error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND';
}

export function memoryDamaged(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/memories/${id}`;
  return new MnemeError('CHECKSUM_MISMATCH', `${name} cannot be read: its bytes are damaged`, { metadata: { name } });
}

/** Pages of a store's own files are damaged. Which memories are lost is not known here. */
export function storageDamaged(backend: string, cause: unknown): MnemeError {
  const message =
    'pages of the data folder are damaged: "mneme verify" lists what is lost, "mneme repair" makes the folder whole';
  return new MnemeError('CHECKSUM_MISMATCH', message, { metadata: { backend }, cause });
}

/** Runs a function that reads a memory's bytes; when they are damaged, the error names the memory. */
export function readingBytesOf<T>(namespace: string, id: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!isDamage(cause)) throw cause;
    const name = `namespaces/${namespace}/memories/${id}`;
    throw new MnemeError('CHECKSUM_MISMATCH', `${name} cannot be read: ${cause.message}`, {
      metadata: { name },
      cause,
    });
  }
}

export function requestIdReused(requestId: string): MnemeError {
  return new MnemeError('REQUEST_ID_REUSED', `request_id "${requestId}" was used for another request`, {
    metadata: { request_id: requestId },
  });
}

export function namespaceNotFound(namespace: string): MnemeError {
  const name = `namespaces/${namespace}`;
  return new MnemeError('NAMESPACE_NOT_FOUND', `${name} does not exist`, { metadata: { name } });
}

/** `afterRevision`: behind which the reader wanted to go on. */
export function compactedFor(afterRevision: number, compactRevision: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `not all changes after revision ${afterRevision} are kept: list the memories and go on from the list's revision`,
    { metadata: { revision: String(afterRevision + 1), compact_revision: String(compactRevision) } },
  );
}

/**
 * The error for a reader whose last revision is no longer in the log, because the log was restored to an older state:
 * its revisions may since have been assigned to other changes.
 */
export function historyLost(afterRevision: number, compactRevision: number, newest: number): MnemeError {
  return new MnemeError(
    'REVISION_COMPACTED',
    `the log was restored to an older state and no longer has revision ${afterRevision} as it was: list the memories and continue from the list's revision`,
    {
      metadata: {
        revision: String(afterRevision + 1),
        compact_revision: String(compactRevision),
        newest_revision: String(newest),
      },
    },
  );
}

export function revisionAhead(revision: number, newest: number): MnemeError {
  return new MnemeError('REVISION_AHEAD', `the newest revision is ${newest}, got ${revision}`, {
    metadata: { revision: String(revision), newest_revision: String(newest) },
  });
}

/** An error as it crosses between threads: with a reason where the caller gets it. */
export interface Thrown {
  readonly reason?: ErrorReason;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly stack: string;
}

export function toThrown(error: unknown): Thrown {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof MnemeError)) return { message, metadata: {}, violations: [], stack };
  const { reason, metadata, violations } = error;
  return { reason, message, metadata, violations, stack };
}

export function fromThrown({ reason, message, metadata, violations, stack }: Thrown): Error {
  const error = reason ? new MnemeError(reason, message, { metadata, violations }) : new Error(message);
  error.stack = stack;
  return error;
}

/** Fails with VERSION_MISMATCH when a write expects another state than there is. */
export function checkRevision(name: string, expected: number | undefined, actual: number): void {
  if (expected === undefined || expected === actual) return;
  throw new MnemeError(
    'VERSION_MISMATCH',
    `${name} has version ${actual}, not ${expected}: read it again, then decide`,
    {
      metadata: { name, expected: String(expected), actual: String(actual) },
    },
  );
}
