/** A value of JSON, as `parseJson` returns it. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** How many numbers, texts, truth values, nulls, and empty arrays and objects a value of JSON is made of. */
export function leafCount(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 1;
  return Math.max(
    1,
    Object.values(json).reduce((sum: number, value) => sum + leafCount(value), 0),
  );
}

/** Arrays and objects in one another; 0 for any other value. */
export function jsonDepthOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  return 1 + Math.max(0, ...Object.values(json).map(jsonDepthOf));
}

/** Searching a shorter list is as fast as building a set. */
const SET_MIN = 8;

/** Whether two values of JSON are the same: arrays in their order, objects by their keys in any order. */
export function equalsJson(one: unknown, other: unknown, ignoreCase: boolean): boolean {
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return equalsScalar(one, other, ignoreCase);
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((element, at) => equalsJson(element, other[at], ignoreCase));
  }
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  return keys.every((key) => Object.hasOwn(other, key) && equalsJson(own(one, key), own(other, key), ignoreCase));
}

/**
 * Whether a value of JSON contains another one, as `@>` of PostgreSQL defines it: an object contains an object whose
 * every value it contains under the same key; an array contains an array if each element is contained in one of its
 * own; any other value contains only an equal value.
 */
export function containsJson(value: unknown, part: unknown, ignoreCase: boolean): boolean {
  if (Array.isArray(part)) return Array.isArray(value) && containsElements(value, part, ignoreCase);
  if (typeof part === 'object' && part !== null) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    return Object.keys(part).every(
      (key) => Object.hasOwn(value, key) && containsJson(own(value, key), own(part, key), ignoreCase),
    );
  }
  return equalsScalar(value, part, ignoreCase);
}

/** Elements that are no arrays or objects are looked up in a set: both lists may be long. */
function containsElements(elements: readonly unknown[], parts: readonly unknown[], ignoreCase: boolean): boolean {
  const bare = parts.length < SET_MIN ? undefined : new Set(elements.map((element) => folded(element, ignoreCase)));
  return parts.every((part) =>
    bare && (typeof part !== 'object' || part === null)
      ? bare.has(folded(part, ignoreCase))
      : elements.some((element) => containsJson(element, part, ignoreCase)),
  );
}

function equalsScalar(one: unknown, other: unknown, ignoreCase: boolean): boolean {
  return folded(one, ignoreCase) === folded(other, ignoreCase);
}

function folded(value: unknown, ignoreCase: boolean): unknown {
  return ignoreCase && typeof value === 'string' ? value.toLowerCase() : value;
}

/** Only of own keys: a key may be `__proto__`. */
function own(json: object, key: string): unknown {
  return (json as Record<string, unknown>)[key];
}

/** A part of a path that also picks the element of an array at that index. */
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

export function isIndex(part: string): boolean {
  return INDEX.test(part);
}

/**
 * Whether a value at the path of JSON content passes the test. Arrays are searched: the path continues in each element,
 * and an array at the end of the path offers itself and its elements; a path part that is a whole number also selects
 * an element.
 */
export function someValueAt(json: unknown, path: readonly string[], passes: (value: unknown) => boolean): boolean {
  return someFrom(json, path, 0, passes);
}

function someFrom(value: unknown, path: readonly string[], at: number, passes: (value: unknown) => boolean): boolean {
  const part = path[at];
  if (part === undefined && passes(value)) return true;
  if (Array.isArray(value)) {
    if (part !== undefined && isIndex(part) && Number(part) < value.length) {
      if (someFrom(value[Number(part)], path, at + 1, passes)) return true;
    }
    return value.some((element) => someFrom(element, path, at, passes));
  }
  if (part === undefined || typeof value !== 'object' || value === null) return false;
  // Own properties only: a key may be `__proto__` or `constructor`.
  return Object.hasOwn(value, part) && someFrom((value as Record<string, unknown>)[part], path, at + 1, passes);
}
