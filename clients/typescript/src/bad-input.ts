import { InternalError, InvalidArgumentError } from './errors.ts';

/** Input that is refused before anything is sent. `field` is the client's own name of it. */
export function badInput(field: string, description: string): InvalidArgumentError {
  return new InvalidArgumentError('INVALID_ARGUMENT', `${field}: ${description}`, {
    violations: [{ field, description }],
  });
}

/** An answer without what every answer has: not Mneme, or a broken one. */
export function incompleteAnswer(what: string): InternalError {
  return new InternalError('INTERNAL', `the answer holds no ${what}`);
}

/** JSON of a value; refuses what JSON would drop or turn into null without a word. */
export function jsonOf(value: unknown, field: string): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (error) {
    // It holds itself, or a bigint.
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
