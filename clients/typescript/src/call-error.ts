import { errorOfStatus } from './error-of-status.ts';
import { CancelledError, DeadlineExceededError, MnemeError, UnavailableError } from './errors.ts';

/** What is known of a call that failed, beyond what gRPC says. */
export interface FailedCall {
  readonly address: string;
  readonly isConnected: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The typed error of a call: tells who cancelled it and whether there was a connection at all. */
export function callError(error: unknown, { address, isConnected, signal }: FailedCall): unknown {
  const typed = errorOfStatus(error);
  if (typed instanceof CancelledError && signal?.aborted) return cancelledBy(signal);
  if (!(typed instanceof MnemeError) || typed.reason !== undefined || isConnected) return typed;
  const { code, cause, message } = typed;
  if (code === 'DEADLINE_EXCEEDED') {
    return new DeadlineExceededError(code, `no connection to ${address} in time`, { cause });
  }
  const [, why] = /.*Last error: (?:Error: )?(.*?)(?:\. Resolution note.*)?$/s.exec(message) ?? [];
  if (code !== 'UNAVAILABLE' || why === undefined) return typed;
  return new UnavailableError(code, `no connection to ${address}: ${why}`, { cause });
}

export function cancelledBy(signal: AbortSignal): CancelledError {
  return new CancelledError('CANCELLED', 'cancelled by its signal', { cause: signal.reason });
}
