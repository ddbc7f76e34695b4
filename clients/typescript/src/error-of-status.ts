import { status as codes, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RetryInfo } from '../../../gen/ts/google/rpc/error_details.ts';
import { Status } from '../../../gen/ts/google/rpc/status.ts';
import type { ErrorFamily } from './error-families.ts';
import {
  AbortedError,
  AlreadyExistsError,
  CancelledError,
  DataLossError,
  DeadlineExceededError,
  type ErrorDetails,
  type ErrorReason,
  FailedPreconditionError,
  InternalError,
  InvalidArgumentError,
  MnemeError,
  NotFoundError,
  OutOfRangeError,
  PermissionDeniedError,
  ResourceExhaustedError,
  type StatusCode,
  UnauthenticatedError,
  UnavailableError,
  UnimplementedError,
  UnknownError,
} from './errors.ts';

type ErrorClass = new (code: StatusCode, message: string, details: ErrorDetails) => MnemeError;

/** The texts of grpc-js for a stream that the peer has reset, and for one that has ended without a status. */
const BROKEN_BY_PEER: ReadonlySet<string> = new Set([
  'Received RST_STREAM with code 2 (Internal server error)',
  'Received RST_STREAM with code 0 (Call ended without gRPC status)',
]);

/** By the number of the gRPC status. */
const STATUSES: Readonly<Record<number, readonly [StatusCode, ErrorClass]>> = {
  1: ['CANCELLED', CancelledError],
  2: ['UNKNOWN', UnknownError],
  3: ['INVALID_ARGUMENT', InvalidArgumentError],
  4: ['DEADLINE_EXCEEDED', DeadlineExceededError],
  5: ['NOT_FOUND', NotFoundError],
  6: ['ALREADY_EXISTS', AlreadyExistsError],
  7: ['PERMISSION_DENIED', PermissionDeniedError],
  8: ['RESOURCE_EXHAUSTED', ResourceExhaustedError],
  9: ['FAILED_PRECONDITION', FailedPreconditionError],
  10: ['ABORTED', AbortedError],
  11: ['OUT_OF_RANGE', OutOfRangeError],
  12: ['UNIMPLEMENTED', UnimplementedError],
  13: ['INTERNAL', InternalError],
  14: ['UNAVAILABLE', UnavailableError],
  15: ['DATA_LOSS', DataLossError],
  16: ['UNAUTHENTICATED', UnauthenticatedError],
};

/** The typed error for a status inside a stream. */
export function errorOfRpcStatus(status: Status | undefined, family: ErrorFamily): MnemeError {
  const [code, Class] = STATUSES[status?.code ?? 0] ?? ['UNKNOWN', UnknownError];
  return new Class(code, status?.message ?? 'no status', { ...(status && detailsIn(status)), family });
}

/** The typed error for an error of grpc-js; other errors are returned unchanged. */
export function errorOfStatus(error: unknown, family: ErrorFamily): unknown {
  if (error instanceof MnemeError || !isServiceError(error)) return error;
  const [code, Class] = STATUSES[codeOfCall(error)] ?? ['UNKNOWN', UnknownError];
  return new Class(code, error.details || error.message, { ...detailsOf(error.metadata), family, cause: error });
}

/**
 * UNAVAILABLE for a call that a proxy ended because its own connection to the server broke, for which gRPC has INTERNAL;
 * otherwise the status itself.
 */
export function codeOfCall({ code, details }: ServiceError): codes {
  const isBroken = code === codes.INTERNAL && BROKEN_BY_PEER.has(details);
  return isBroken ? codes.UNAVAILABLE : code;
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

function detailsOf(metadata: Metadata | undefined): ErrorDetails {
  const bytes = metadata?.get('grpc-status-details-bin')[0];
  if (!(bytes instanceof Uint8Array)) return {};
  try {
    return detailsIn(Status.decode(bytes));
  } catch {
    // Details damaged on the way must not hide the status itself.
    return {};
  }
}

function detailsIn(status: Status): ErrorDetails {
  let details: ErrorDetails = {};
  for (const { typeUrl, value } of status.details) {
    details = { ...details, ...detailOf(typeUrl.slice(typeUrl.lastIndexOf('/') + 1), value) };
  }
  return details;
}

function detailOf(type: string, bytes: Uint8Array): ErrorDetails {
  switch (type) {
    case 'google.rpc.ErrorInfo': {
      const { reason, metadata } = ErrorInfo.decode(bytes);
      return { reason: reason as ErrorReason, metadata };
    }
    case 'google.rpc.BadRequest':
      return {
        violations: BadRequest.decode(bytes).fieldViolations.map(({ field, description }) => ({ field, description })),
      };
    case 'google.rpc.RetryInfo': {
      const delay = RetryInfo.decode(bytes).retryDelay;
      return delay === undefined ? {} : { retryDelayMs: Number(delay.seconds) * 1000 + delay.nanos / 1e6 };
    }
    default:
      return {};
  }
}
