import { type ErrorReason, type FieldViolation, MnemeError } from './errors.ts';

/** An error as it crosses between threads: with a reason where the caller is told about it as it is. */
export interface Thrown {
  readonly reason?: ErrorReason;
  readonly message: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly stack: string;
}

export function toThrown(error: unknown): Thrown {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
  if (!(error instanceof MnemeError)) return { message, metadata: {}, violations: [], stack };
  const { reason, metadata, violations } = error;
  return { reason, message, metadata, violations, stack };
}

export function fromThrown({ reason, message, metadata, violations, stack }: Thrown): Error {
  const error = reason ? new MnemeError(reason, message, { metadata, violations }) : new Error(message);
  error.stack = stack;
  return error;
}
