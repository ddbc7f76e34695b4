import { status as Code, Metadata } from '@grpc/grpc-js';
import { BadRequest, ErrorInfo, RequestInfo, RetryInfo } from '../../../../gen/ts/google/rpc/error_details.ts';
import { Status } from '../../../../gen/ts/google/rpc/status.ts';
import { type ErrorReason, type FieldViolation, MnemeError } from '../../../memory/errors.ts';
import { type Codec, encode } from './codec.ts';

/** How a call ended, as grpc-js sends it. */
export interface Failure {
  readonly code: Code;
  readonly details: string;
  readonly metadata: Metadata;
}

interface Rule {
  readonly code: Code;
  /** Time after which the call is worth repeating. */
  readonly retryAfterMs?: number;
}

/** Every reason that an error can have. `INTERNAL` is used for thrown values without one. */
export const RULES: Readonly<Record<ErrorReason | 'INTERNAL', Rule>> = {
  FIELD_INVALID: { code: Code.INVALID_ARGUMENT },
  FILTER_INVALID: { code: Code.INVALID_ARGUMENT },
  PAGE_TOKEN_INVALID: { code: Code.INVALID_ARGUMENT },
  DIMENSION_MISMATCH: { code: Code.INVALID_ARGUMENT },
  MODEL_MISMATCH: { code: Code.INVALID_ARGUMENT },
  MESSAGE_MALFORMED: { code: Code.INVALID_ARGUMENT },
  MEMORY_NOT_FOUND: { code: Code.NOT_FOUND },
  NAMESPACE_NOT_FOUND: { code: Code.NOT_FOUND },
  MEMORY_EXISTS: { code: Code.ALREADY_EXISTS },
  NAMESPACE_EXISTS: { code: Code.ALREADY_EXISTS },
  MEMORY_SUPERSEDED: { code: Code.FAILED_PRECONDITION },
  FACT_NOT_SUPERSEDED: { code: Code.FAILED_PRECONDITION },
  NO_VECTORS: { code: Code.FAILED_PRECONDITION },
  REQUEST_ID_REUSED: { code: Code.FAILED_PRECONDITION },
  NAMESPACE_NOT_EMPTY: { code: Code.FAILED_PRECONDITION },
  LANE_UNAVAILABLE: { code: Code.FAILED_PRECONDITION },
  NAMESPACE_FULL: { code: Code.RESOURCE_EXHAUSTED },
  QUEUE_FULL: { code: Code.RESOURCE_EXHAUSTED, retryAfterMs: 100 },
  // The error itself has the time, where there is one.
  QUOTA_EXCEEDED: { code: Code.RESOURCE_EXHAUSTED },
  STORAGE_FULL: { code: Code.RESOURCE_EXHAUSTED },
  MESSAGE_TOO_LARGE: { code: Code.RESOURCE_EXHAUSTED },
  DRAINING: { code: Code.UNAVAILABLE, retryAfterMs: 1000 },
  OVERLOADED: { code: Code.UNAVAILABLE, retryAfterMs: 200 },
  REVISION_NOT_YET: { code: Code.UNAVAILABLE, retryAfterMs: 50 },
  STORAGE_UNAVAILABLE: { code: Code.UNAVAILABLE, retryAfterMs: 500 },
  EMBEDDER_UNAVAILABLE: { code: Code.UNAVAILABLE, retryAfterMs: 1000 },
  CREDENTIALS_INVALID: { code: Code.UNAUTHENTICATED },
  ISSUER_UNAVAILABLE: { code: Code.UNAVAILABLE, retryAfterMs: 1000 },
  PERMISSION_MISSING: { code: Code.PERMISSION_DENIED },
  CHECKSUM_MISMATCH: { code: Code.DATA_LOSS },
  DEADLINE_EXCEEDED: { code: Code.DEADLINE_EXCEEDED },
  CANCELLED: { code: Code.CANCELLED },
  REVISION_COMPACTED: { code: Code.OUT_OF_RANGE },
  REVISION_AHEAD: { code: Code.OUT_OF_RANGE },
  RESUME_TOKEN_INVALID: { code: Code.INVALID_ARGUMENT },
  SLOW_CONSUMER: { code: Code.RESOURCE_EXHAUSTED, retryAfterMs: 1000 },
  TOO_MANY_STREAMS: { code: Code.RESOURCE_EXHAUSTED },
  SUBSCRIPTION_NOT_FOUND: { code: Code.NOT_FOUND },
  SUBSCRIPTION_EXISTS: { code: Code.ALREADY_EXISTS },
  METHOD_UNKNOWN: { code: Code.UNIMPLEMENTED },
  SESSION_NOT_FOUND: { code: Code.NOT_FOUND },
  SESSION_LOST: { code: Code.DATA_LOSS },
  SESSION_EXISTS: { code: Code.ALREADY_EXISTS },
  SESSION_STATE: { code: Code.FAILED_PRECONDITION },
  SESSION_SCOPE_MISMATCH: { code: Code.FAILED_PRECONDITION },
  SESSION_NOT_ACTIVE: { code: Code.FAILED_PRECONDITION },
  HOOK_VETOED: { code: Code.FAILED_PRECONDITION },
  HOOKS_FULL: { code: Code.RESOURCE_EXHAUSTED },
  AGENT_TOO_LARGE: { code: Code.RESOURCE_EXHAUSTED },
  SCOPE_PRIVATE: { code: Code.PERMISSION_DENIED },
  SCOPE_READ_ONLY: { code: Code.FAILED_PRECONDITION },
  SCOPES_FULL: { code: Code.RESOURCE_EXHAUSTED },
  SESSION_FULL: { code: Code.RESOURCE_EXHAUSTED },
  VERSION_MISMATCH: { code: Code.ABORTED },
  TASK_NOT_FOUND: { code: Code.NOT_FOUND },
  CHECKPOINT_NOT_FOUND: { code: Code.NOT_FOUND },
  CHECKPOINT_EXISTS: { code: Code.ALREADY_EXISTS },
  SNAPSHOT_NOT_FOUND: { code: Code.NOT_FOUND },
  SNAPSHOT_EXISTS: { code: Code.ALREADY_EXISTS },
  MESSAGE_CONFLICT: { code: Code.ALREADY_EXISTS },
  CONVERSATION_NOT_FOUND: { code: Code.NOT_FOUND },
  SUFFIX_MISMATCH: { code: Code.ABORTED },
  EXTRACTOR_UNAVAILABLE: { code: Code.UNAVAILABLE, retryAfterMs: 1000 },
  EXTRACTION_INVALID: { code: Code.INTERNAL },
  INTERNAL: { code: Code.INTERNAL },
};

/** A status prescribed by another protocol; its details are empty. */
export class ProtocolStatus extends Error {
  override readonly name = 'ForeignStatus';
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.code = code;
  }
}

const DOMAIN = 'mneme.dev';
/** Proxies limit headers: the status message and its details, in base64, together stay under 4 KB. */
const MESSAGE_BYTES = 800;
const DETAILS_BYTES = 2200;
const VALUE_LENGTH = 240;
const VIOLATIONS = 10;

/**
 * The status of an error. Only a MnemeError keeps its reason and text. The details name the request as its caller does; an empty
 * `requestId`: the call has no name.
 */
export function failureOf(error: unknown, callId: string, requestId = callId): Failure {
  if (error instanceof ProtocolStatus) return protocolFailure(error);
  if (error instanceof MnemeError) return failure(error, requestId);
  const message = `internal error; the server's log has it as call ${callId}`;
  const metadata = { request_id: callId };
  return failure({ reason: 'INTERNAL', message, metadata, violations: [], retryAfterMs: undefined }, requestId);
}

/** The same status as a message, for a stream that continues. */
export function statusOf({ code, details, metadata }: Failure): Status {
  const [bytes] = metadata.get('grpc-status-details-bin');
  return typeof bytes === 'object' ? Status.decode(bytes) : { code, message: details, details: [] };
}

function protocolFailure({ code, message }: ProtocolStatus): Failure {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encode(Status, { code, message, details: [] }));
  return { code, details: message, metadata };
}

interface Fault extends Pick<MnemeError, 'message' | 'metadata' | 'violations' | 'retryAfterMs'> {
  readonly reason: ErrorReason | 'INTERNAL';
}

function failure(fault: Fault, requestId: string): Failure {
  const { reason, violations } = fault;
  const { code, retryAfterMs = fault.retryAfterMs } = RULES[reason];
  const message = shortened(fault.message);
  const info: ErrorInfo = { reason, domain: DOMAIN, metadata: mapped(fault.metadata) };
  const details = [any('google.rpc.ErrorInfo', ErrorInfo, info)];
  if (requestId !== '') details.push(any('google.rpc.RequestInfo', RequestInfo, { requestId, servingData: '' }));
  const metadata = new Metadata();
  if (retryAfterMs !== undefined) {
    const retryDelay = { seconds: BigInt(Math.floor(retryAfterMs / 1000)), nanos: (retryAfterMs % 1000) * 1_000_000 };
    details.push(any('google.rpc.RetryInfo', RetryInfo, { retryDelay }));
    metadata.set('grpc-retry-pushback-ms', String(retryAfterMs));
  }
  metadata.set('grpc-status-details-bin', fitted({ code, message, details }, violations));
  return { code, details: message, metadata };
}

/** As many of the violations as fit into the metadata. */
function fitted(status: Status, violations: readonly FieldViolation[]): Buffer {
  for (let count = Math.min(violations.length, VIOLATIONS); count > 0; count--) {
    const fieldViolations = violations.slice(0, count).map(({ field, description }) => ({
      field: clipped(field),
      description: clipped(description),
      reason: '',
      localizedMessage: undefined,
    }));
    const details = [...status.details, any('google.rpc.BadRequest', BadRequest, { fieldViolations })];
    const bytes = encode(Status, { ...status, details });
    if (bytes.length <= DETAILS_BYTES) return bytes;
  }
  return encode(Status, status);
}

function any<T>(type: string, codec: Codec<T>, message: T) {
  return { typeUrl: `type.googleapis.com/${type}`, value: encode(codec, message) };
}

function mapped(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, clipped(value)]));
}

function clipped(text: string): string {
  const whole = text.toWellFormed();
  return whole.length > VALUE_LENGTH ? `${whole.slice(0, VALUE_LENGTH - 1).toWellFormed()}…` : whole;
}

/** grpc-js percent-encodes the message, which at least triples non-ASCII characters, and throws at a lone surrogate. */
function shortened(text: string): string {
  let message = text.toWellFormed();
  while (encodeURI(message).length > MESSAGE_BYTES)
    message = `${message.slice(0, message.length * 0.8).toWellFormed()}…`;
  return message;
}
