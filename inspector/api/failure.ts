import { BadRequest, ErrorInfo, RetryInfo } from '../../gen/ts/google/rpc/error_details.ts';

/** Field of a request that the server refused. */
export interface Violation {
  readonly field: string;
  readonly description: string;
}

interface Details {
  /** Name of a reason of `error_reason.proto`; empty where no server of Mneme answered. */
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly violations?: readonly Violation[];
  readonly retryDelayMs?: number | undefined;
}

/** A call that failed: the code of Connect, the reason, and what the server says about it. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  /** Code in the spelling of Connect, such as `not_found`. */
  readonly code: string;
  readonly reason: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];
  /** Time after which the server suggests to repeat the call. */
  readonly retryDelayMs: number | undefined;

  constructor(
    code: string,
    message: string,
    { reason = '', metadata = {}, violations = [], retryDelayMs }: Details = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.metadata = metadata;
    this.violations = violations;
    this.retryDelayMs = retryDelayMs;
  }
}

/** Error of Connect as JSON: the body of a unary answer, or `error` of the last message of a stream. */
export interface ConnectError {
  readonly code?: string;
  readonly message?: string;
  readonly details?: readonly { readonly type: string; readonly value: string }[];
}

export function failureOf({ code = 'unknown', message = '', details = [] }: ConnectError): CallFailure {
  const found: { -readonly [Key in keyof Details]: Details[Key] } = {};
  for (const { type, value } of details) {
    const bytes = bytesOf(value);
    if (type === 'google.rpc.ErrorInfo') {
      const { reason, metadata } = ErrorInfo.decode(bytes);
      Object.assign(found, { reason, metadata });
    } else if (type === 'google.rpc.BadRequest') {
      found.violations = BadRequest.decode(bytes).fieldViolations;
    } else if (type === 'google.rpc.RetryInfo') {
      const { retryDelay } = RetryInfo.decode(bytes);
      if (retryDelay) found.retryDelayMs = Number(retryDelay.seconds) * 1000 + retryDelay.nanos / 1e6;
    }
  }
  return new CallFailure(code, message === '' ? `The call failed: ${code}.` : message, found);
}

/** Base64, with or without padding. */
function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** A rejection of any kind as a failure of a call. */
export function asFailure(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CallFailure('internal', `The page has a defect: ${message}`);
}

/** True for the end of a call that the page itself no longer wants. */
export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
