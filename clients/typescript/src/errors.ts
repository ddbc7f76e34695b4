import type { ErrorReason as ReasonCode } from '../../../gen/ts/mneme/v1/error_reason.ts';
import type { ErrorFamily } from './error-families.ts';

export type { ErrorFamily } from './error-families.ts';

/** Names of the gRPC statuses that a call can fail with. */
export type StatusCode =
  | 'CANCELLED'
  | 'UNKNOWN'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'ALREADY_EXISTS'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'DATA_LOSS'
  | 'UNAUTHENTICATED';

type ReasonName<Code> = Code extends `ERROR_REASON_${infer Name}` ? Exclude<Name, 'UNSPECIFIED'> : never;

/** Why a call failed, from the closed list of `error_reason.proto`. */
export type ErrorReason = ReasonName<keyof typeof ReasonCode>;

/** One field of a request that the server did not accept. */
export interface Violation {
  /** Path of the field in the request message, such as `memory.text`. */
  readonly field: string;
  /** The problem and the limit. */
  readonly description: string;
}

export interface ErrorDetails {
  /** Absent when Mneme did not answer: no connection, a proxy, or a local timeout. */
  readonly reason?: ErrorReason;
  /** The facts of this failure, for machines; `error_reason.proto` lists the keys of each reason. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly Violation[];
  readonly retryDelayMs?: number;
  /** Default `base`. */
  readonly family?: ErrorFamily;
  readonly cause?: unknown;
}

/** A failed call. Its class is the kind of failure; `reason` is the cause. */
export class MnemeError extends Error {
  override readonly name: string = 'MnemeError';
  readonly code: StatusCode;
  readonly reason: ErrorReason | undefined;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  /** How long the server asks to wait before the call is repeated. */
  readonly retryDelayMs: number | undefined;
  /** Purpose of the call: storing, retrieval, maintenance, configuration, or none of them (`base`). */
  readonly family: ErrorFamily;

  constructor(code: StatusCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.reason = details.reason;
    this.metadata = details.metadata ?? {};
    this.violations = details.violations ?? [];
    this.retryDelayMs = details.retryDelayMs;
    this.family = details.family ?? 'base';
  }

  /** True when the same call may succeed later unchanged. The client's own retries are exhausted. */
  get retryable(): boolean {
    return this.code === 'UNAVAILABLE' || (this.code === 'RESOURCE_EXHAUSTED' && this.retryDelayMs !== undefined);
  }
}

/** The caller cancelled, by its `AbortSignal` or by closing the client. A write may have taken effect. */
export class CancelledError extends MnemeError {
  override readonly name = 'CancelledError';
}
export class UnknownError extends MnemeError {
  override readonly name = 'UnknownError';
}
/** A part of the request is missing, malformed or over its limit; `violations` names the fields. */
export class InvalidArgumentError extends MnemeError {
  override readonly name = 'InvalidArgumentError';
}
/** The deadline passed before the answer arrived. A write may have taken effect. */
export class DeadlineExceededError extends MnemeError {
  override readonly name = 'DeadlineExceededError';
}
export class NotFoundError extends MnemeError {
  override readonly name = 'NotFoundError';
}
export class AlreadyExistsError extends MnemeError {
  override readonly name = 'AlreadyExistsError';
}
export class PermissionDeniedError extends MnemeError {
  override readonly name = 'PermissionDeniedError';
}
/** A queue, the disk, a message or a namespace is full. */
export class ResourceExhaustedError extends MnemeError {
  override readonly name = 'ResourceExhaustedError';
}
export class FailedPreconditionError extends MnemeError {
  override readonly name = 'FailedPreconditionError';
}
/** The version is outdated: read the memory again, then decide. */
export class AbortedError extends MnemeError {
  override readonly name = 'AbortedError';
}
export class OutOfRangeError extends MnemeError {
  override readonly name = 'OutOfRangeError';
}
export class UnimplementedError extends MnemeError {
  override readonly name = 'UnimplementedError';
}
export class InternalError extends MnemeError {
  override readonly name = 'InternalError';
}
/** The server cannot be reached, is shutting down or has too much to do. */
export class UnavailableError extends MnemeError {
  override readonly name = 'UnavailableError';
}
export class DataLossError extends MnemeError {
  override readonly name = 'DataLossError';
}
export class UnauthenticatedError extends MnemeError {
  override readonly name = 'UnauthenticatedError';
}
