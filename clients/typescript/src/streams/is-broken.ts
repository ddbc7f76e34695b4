import { ClosedError } from '../call-error.ts';
import { CancelledError, InternalError, ResourceExhaustedError, UnavailableError, UnknownError } from '../errors.ts';

/**
 * Whether a stream ended for a transient reason: the server stops or is overloaded, this reader was too slow, or the
 * network failed. Any other answer of Mneme itself is final.
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
