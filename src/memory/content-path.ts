/** A part of a path that also picks the element of an array at that index. */
const INDEX = /^(?:0|[1-9][0-9]{0,9})$/;

export function isIndex(part: string): boolean {
  return INDEX.test(part);
}

/**
 * Whether a value at the path of JSON content passes the test. Arrays are looked through: the path goes on in each
 * element, and an array at its end offers itself and its elements; a part that is a whole number also picks an element.
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
