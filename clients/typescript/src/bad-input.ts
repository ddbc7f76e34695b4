import { InternalError, InvalidArgumentError } from './errors.ts';
import { withBigInts } from './exact-json.ts';

/** Refuses invalid input before anything is sent. `field` is its name in the client. */
export function badInput(field: string, description: string): InvalidArgumentError {
  return new InvalidArgumentError('INVALID_ARGUMENT', `${field}: ${description}`, {
    violations: [{ field, description }],
  });
}

/** A whole number for the server; `undefined` stays absent. */
export function integerOf(value: number, field: string): bigint;
export function integerOf(value: number | undefined, field: string): bigint | undefined;
export function integerOf(value: number | undefined, field: string): bigint | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value)) throw badInput(field, `must be a whole number within ±(2^53 - 1), got ${value}`);
  return BigInt(value);
}

/** The error for an answer without a mandatory part: not Mneme, or a defective server. */
export function incompleteAnswer(what: string): InternalError {
  return new InternalError('INTERNAL', `the answer has no ${what}`);
}

/** JSON of a value; refuses values that JSON would silently drop or turn into null. */
export function jsonOf(value: unknown, field: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, withBigInts);
  } catch (error) {
    // It holds itself.
    throw badInput(field, `cannot be carried by JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  const fault = text === undefined ? typeof value : faultIn(value);
  if (text === undefined || fault !== undefined) throw badInput(field, `cannot be carried by JSON: ${fault}`);
  return text;
}

/** `undefined` as a value of an object is left out as ever; in a list it would become null. */
function faultIn(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (typeof value !== 'object' || value === null) return undefined;
  if ('toJSON' in value) return undefined;
  for (const each of Object.values(value)) {
    const fault = each === undefined && Array.isArray(value) ? 'undefined in a list' : faultIn(each);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
