import { randomUUID } from 'node:crypto';
import { exactJson } from '../../../clients/typescript/src/exact-json.ts';
import { isRecord } from '../../../clients/typescript/src/tool-arguments.ts';

/** The tool that stores any JSON. Numbers in arguments of other tools are limits and shares. */
export const EXACT_TOOL = 'working_memory_set';

/** Before the digits of an integer; no client can know it. */
const MARK = `\u0000${randomUUID()}:`;
/** May be an integer that a double does not hold. */
const LONG = /\d{16}/;

export function mayRound(text: string): boolean {
  return LONG.test(text) && text.includes(EXACT_TOOL);
}

/**
 * The arguments of a call of `EXACT_TOOL`, with a marked text in place of each integer beyond ±(2^53 - 1): the SDK reads
 * messages with doubles. `text` is the message as it was sent; `undefined` where nothing in it would be rounded.
 */
export function exactArguments(text: string): unknown {
  if (!mayRound(text)) return undefined;
  try {
    const message = exactJson(text);
    const params = isRecord(message) && isRecord(message['params']) ? message['params'] : {};
    const { name, arguments: provided } = params;
    if (name !== EXACT_TOOL) return undefined;
    return marked(typeof provided === 'string' ? exactJson(provided) : provided);
  } catch (error) {
    // The SDK answers what is not JSON.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function marked(value: unknown): unknown {
  return mapped(value, (part) => (typeof part === 'bigint' ? MARK + part : part));
}

/** The value with the integers that were marked. */
export function unmarked(value: unknown): unknown {
  return mapped(value, (part) =>
    typeof part === 'string' && part.startsWith(MARK) ? BigInt(part.slice(MARK.length)) : part,
  );
}

function mapped(value: unknown, change: (part: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((part) => mapped(part, change));
  if (!isRecord(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, mapped(part, change)]));
}
