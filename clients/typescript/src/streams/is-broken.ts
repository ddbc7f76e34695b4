import { ClosedError } from '../call-error.ts';
import { CancelledError, InternalError, ResourceExhaustedError, UnavailableError, UnknownError } from '../errors.ts';

/**
 * Whether a stream ended for a reason that another one may not have: the server stops or has too much to do, this reader
 * was too slow, or something between here and the server gave way. Any other answer of Mneme itself is final.
 */
export function isBroken(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted || error instanceof ClosedError) return false;
  if (error instanceof UnavailableError) return true;
  if (error instanceof ResourceExhaustedError)
    return error.reason === 'SLOW_CONSUMER' || error.retryDelayMs !== undefined;
  const isForeign = error instanceof InternalError || error instanceof CancelledError || error instanceof UnknownError;
  return isForeign && error.reason === undefined;
}

export function retryDelayMsOf(error: unknown): number | undefined {
  return error instanceof UnavailableError || error instanceof ResourceExhaustedError ? error.retryDelayMs : undefined;
}
