import { Model } from './models.ts';

/** Arguments nested deeper than this have no key. */
const DEPTH_MAX = 64;

/** The value cannot be part of a key. */
class NoKey extends TypeError {}

const identities = new WeakMap<object, number>();
let nextIdentity = 1;

/**
 * A text that is equal for equal values of the same types. Lists, plain objects, maps, sets, dates, models and typed
 * arrays count by their values; other objects and functions by their identity. `TypeError` for a value that is nested
 * deeper than 64 levels or contains itself.
 */
export function makeHashable(value: unknown): string {
  return keyOf(value, 0);
}

/** The key of a call; `undefined` where an argument has none. */
export function callKey(args: readonly unknown[]): string | undefined {
  try {
    return keyOf(args, 0);
  } catch (error) {
    if (error instanceof NoKey) return undefined;
    throw error;
  }
}

function keyOf(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) throw new NoKey('the value is nested too deeply, or contains itself');
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return `n${Object.is(value, -0) ? 0 : value}`;
  if (typeof value === 'bigint') return `i${value}`;
  if (typeof value === 'symbol') return `s${value.description ?? ''}#${identityOf(value)}`;
  if (typeof value === 'function') return `f${identityOf(value)}`;
  return typeof value === 'object' && value !== null ? objectKey(value, depth + 1) : String(value);
}

function objectKey(value: object, depth: number): string {
  const each = (item: unknown) => keyOf(item, depth);
  const pairs = (items: Iterable<readonly [unknown, unknown]>) =>
    [...items].map(([name, item]) => `${each(name)}:${each(item)}`).sort();
  if (Array.isArray(value)) return `[${value.map(each).join()}]`;
  if (value instanceof Date) return `d${value.getTime()}`;
  if (value instanceof Map) return `m{${pairs(value).join()}}`;
  if (value instanceof Set) return `e{${[...value].map(each).sort().join()}}`;
  if (value instanceof Model) return `${value.constructor.name}${each(value.fields())}`;
  if (ArrayBuffer.isView(value)) {
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return `${value.constructor.name}(${bytes.toString('base64')})`;
  }
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype === null || prototype === Object.prototype) return `{${pairs(Object.entries(value)).join()}}`;
  return `o${identityOf(value)}`;
}

/** A number that no other object has, also after this one is gone. */
function identityOf(value: object | symbol): number | string {
  if (typeof value === 'symbol' && Symbol.keyFor(value) !== undefined) return 'registered';
  // Symbols that are not registered may be keys, which the type does not say.
  const key = value as object;
  let found = identities.get(key);
  if (found === undefined) {
    found = nextIdentity++;
    identities.set(key, found);
  }
  return found;
}
