import { MnemeError } from '../errors.ts';

/**
 * Whether a repetition may succeed. `recoverable`: with another input, or after another read. `potentially_recoverable`:
 * later, or with another configuration. `fatal`: data is damaged, or a program has a defect.
 */
export type Recoverability = 'recoverable' | 'potentially_recoverable' | 'fatal';

/** Circumstances of a failure, as far as they are known, with the metadata of the server's error. */
export interface ExceptionContext {
  readonly operation?: string;
  readonly agentId?: string;
  readonly stepNumber?: number;
  readonly memoryId?: string;
  readonly memoryType?: string;
  /** The argument, option or field of the request that is at fault. */
  readonly field?: string;
  /** gRPC status. */
  readonly code?: string;
  readonly [name: string]: string | number | undefined;
}

export interface ExceptionDetails {
  readonly reason?: string;
  readonly context?: ExceptionContext;
  readonly recoverability?: Recoverability;
  readonly cause?: unknown;
}

/** A failed call of the Agent Memory API. */
export class MemoryAPIException extends Error {
  override readonly name: string = 'MemoryAPIException';
  /**
   * Cause, such as `MEMORY_NOT_FOUND`: a reason of `docs/api/errors.md`, or the name of a gRPC status where the server
   * gave none. `FIELD_INVALID` for an argument that was refused before anything was sent.
   */
  readonly reason: string;
  readonly context: ExceptionContext;
  readonly recoverability: Recoverability;

  constructor(message = '', details: ExceptionDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = details.reason ?? 'UNKNOWN';
    this.context = known(details.context ?? {});
    this.recoverability = details.recoverability ?? 'fatal';
  }

  /** False for a failure that no repetition repairs. */
  get recoverable(): boolean {
    return this.recoverability !== 'fatal';
  }
}

/** A memory was not stored. */
export class MemoryStoreException extends MemoryAPIException {
  override readonly name = 'MemoryStoreException';
}
/** A retrieval failed. */
export class MemoryRetrievalException extends MemoryAPIException {
  override readonly name = 'MemoryRetrievalException';
}
/** A maintenance operation failed. */
export class MemoryMaintenanceException extends MemoryAPIException {
  override readonly name = 'MemoryMaintenanceException';
}
/** A configuration is invalid, or has no equivalent. */
export class MemoryConfigException extends MemoryAPIException {
  override readonly name = 'MemoryConfigException';
}

/** The class of an exception, by the purpose of the call. */
export type Kind = new (message?: string, details?: ExceptionDetails) => MemoryAPIException;

const RECOVERABLE = new Set([
  'INVALID_ARGUMENT',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
]);
const FATAL = new Set(['INTERNAL', 'DATA_LOSS', 'UNKNOWN', 'UNIMPLEMENTED']);

/** The exception for an argument that is refused before anything is sent. */
export function refused(Kind: Kind, field: string, problem: string, context: ExceptionContext = {}) {
  const details = { reason: 'FIELD_INVALID', context: { ...context, field }, recoverability: 'recoverable' } as const;
  return new Kind(`${field}: ${problem}`, details);
}

/** Whether a repetition of the call may succeed. */
export function recoverabilityOf(error: MnemeError): Recoverability {
  if (RECOVERABLE.has(error.code)) return 'recoverable';
  return FATAL.has(error.code) ? 'fatal' : 'potentially_recoverable';
}

/** The result of the call; errors of the client become exceptions of this kind. */
export async function failingAs<Result>(
  Kind: Kind,
  operation: string,
  context: ExceptionContext,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof MnemeError ? exceptionOf(Kind, operation, context, error) : error;
  }
}

/** The exception of this kind for an error of the client. */
export function exceptionOf(Kind: Kind, operation: string, context: ExceptionContext, error: MnemeError) {
  const [violation] = error.violations;
  return new Kind(`${operation}: ${error.message}`, {
    reason: error.reason ?? (violation ? 'FIELD_INVALID' : error.code),
    context: {
      operation,
      ...known(context),
      ...error.metadata,
      ...(violation && { field: violation.field }),
      code: error.code,
    },
    recoverability: recoverabilityOf(error),
    cause: error,
  });
}

function known(context: ExceptionContext): ExceptionContext {
  return Object.fromEntries(Object.entries(context).filter(([, value]) => value !== undefined));
}
