import { MnemeError } from '../../memory/errors.ts';

/** The error of a request that is part of another one: the fields that it names are those of the part of this name. */
export function fieldsWithin(part: string, error: unknown): unknown {
  if (!(error instanceof MnemeError) || error.violations.length === 0) return error;
  const { reason, message, metadata, violations } = error;
  const isNamed = violations.some(({ field }) => message.startsWith(`${field}:`));
  return new MnemeError(reason, isNamed ? `${part}.${message}` : message, {
    metadata,
    violations: violations.map(({ field, description }) => ({ field: `${part}.${field}`, description })),
    cause: error,
  });
}

/** Reads the part of a request. */
export function readingPart<T>(part: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw fieldsWithin(part, error);
  }
}
