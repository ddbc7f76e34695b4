import { VERSION } from './channel.ts';
import { type ErrorFamily, familyOf } from './error-families.ts';
import { errorOfStatus } from './error-of-status.ts';
import { CancelledError, DeadlineExceededError, MnemeError, UnavailableError, UnimplementedError } from './errors.ts';
import { silentText, unreachableText } from './unreachable.ts';

/** Facts about a failed call that gRPC does not report. */
export interface FailedCall {
  /** Path of its method. */
  readonly path: string;
  readonly address: string;
  readonly isConnected: boolean;
  readonly usesTls: boolean;
  readonly signal: AbortSignal | undefined;
}

/** The typed error of a call: reports who cancelled it and whether a connection existed. */
export function callError(error: unknown, { path, address, isConnected, usesTls, signal }: FailedCall): unknown {
  const family = familyOf(path);
  const typed = errorOfStatus(error, family);
  if (typed instanceof CancelledError && signal?.aborted) return cancelledBy(signal, family);
  if (typed instanceof UnimplementedError) {
    const { code, message, reason, metadata, cause } = typed;
    const server = metadata['version'] === undefined ? address : `${address} (version ${metadata['version']})`;
    const client = `this client (version ${VERSION})`;
    const why = `${message}: the server at ${server} has no ${path.slice(1)}; it may be older than ${client}`;
    return new UnimplementedError(code, why, { ...(reason && { reason }), metadata, family, cause });
  }
  if (!(typed instanceof MnemeError) || typed.reason !== undefined) return typed;
  const { code, cause, message } = typed;
  if (code === 'DEADLINE_EXCEEDED') {
    const why = isConnected ? lateText(message, path) : silentText(address);
    return new DeadlineExceededError(code, why, { family, cause });
  }
  if (isConnected) return typed;
  const why = code === 'UNAVAILABLE' ? unreachableText(address, message, usesTls) : undefined;
  return why === undefined ? typed : new UnavailableError(code, why, { family, cause });
}

/** grpc-js names the steps of the call. The text of another end of the call stays as it is. */
function lateText(message: string, path: string): string {
  const [, seconds] = /^Deadline exceeded after ([\d.]+)s/.exec(message) ?? [];
  return seconds === undefined ? message : `${path.slice(path.lastIndexOf('/') + 1)} had no answer after ${seconds} s`;
}

export function closedError(family: ErrorFamily): CancelledError {
  return new ClosedError('CANCELLED', 'the client is closed', { family });
}

/** A stream that ends with this error is not opened again. */
export class ClosedError extends CancelledError {}

export function cancelledBy(signal: AbortSignal, family: ErrorFamily = 'base'): CancelledError {
  if (signal.reason instanceof ClosedError) return signal.reason;
  return new CancelledError('CANCELLED', 'cancelled by its signal', { family, cause: signal.reason });
}
