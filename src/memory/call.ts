import type { Principal } from './principal.ts';

/** Context of the call that an operation serves. */
export interface Call {
  /** Aborted when the caller cancels or the deadline passes. */
  readonly signal: AbortSignal;
  /** Wall-clock instant at which the signal is aborted at the latest; `Infinity` for a stream without a deadline. */
  readonly deadlineAtMs: number;
  /** Names the call in the log and in errors. */
  readonly callId: string;
  /** The caller, as the edge has authorized it. */
  readonly principal: Principal;
  /**
   * Identifies the caller by its credentials or its network address; the limit of streams is counted for each caller.
   */
  readonly caller: string;
  /** The reason for the reader of a stream that is too slow, for machines; set by the stream. */
  stalled?: () => Readonly<Record<string, string>>;
  /** Present when the request has a `request_id`. */
  readonly idempotency?: Idempotency;
}

/** For whom a read is made: reads that wait take turns by caller, and end with the signal. */
export type Asker = Pick<Call, 'caller' | 'signal'>;

/** Makes a mutation repeatable: the first answer is kept with its effect and returned to every repetition. */
export interface Idempotency {
  readonly requestId: string;
  /** SHA-256 of method and request in hexadecimal: distinguishes a repetition from another request with the same id. */
  readonly fingerprint: string;
}
