import { inspect } from 'node:util';

const LENGTH_MAX = 200;

/** A value in a message, cut to 200 characters. Never throws. */
export function shown(value: unknown): string {
  let text: string;
  try {
    text = inspect(value, {
      depth: 2,
      breakLength: Number.POSITIVE_INFINITY,
      maxArrayLength: 20,
      maxStringLength: 200,
    });
  } catch {
    text = `<${typeof value}>`;
  }
  return text.length <= LENGTH_MAX ? text : `${text.slice(0, LENGTH_MAX)}…`;
}
