/** Limits of the values that are indexed from a content. */
export const VALUE_LIMITS = { leaves: 256, textCharacters: 256, pathLength: 1024, depth: 64 } as const;

/** A value at a path of JSON content; arrays are looked through, so several may have one path. */
export interface ContentValue {
  /** As `pathKey` writes it. */
  readonly path: string;
  /** Texts are cut to their first characters; `undefined` represents an empty array or object. */
  readonly value: string | number | bigint | boolean | null | undefined;
}

export interface ContentValues {
  readonly values: readonly ContentValue[];
  /** True when some values are missing; a text that is cut does not count as missing. */
  readonly partial: boolean;
}

/** One text for the keys of a path, different for different paths; that of an inner path starts with `pathStem`. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

/** Prefix of the keys of all longer paths that begin with this one. */
export function pathStem(path: readonly string[]): string {
  return path.length === 0 ? '[' : `${JSON.stringify(path).slice(0, -1)},`;
}

/** The values of a JSON content, each once per path. */
export function valuesOf(json: unknown): ContentValues {
  const found = new FoundValues();
  found.collect(json, '', 0, false);
  return found;
}

/** Some values of a JSON value, each with its path in it: every value that contains it contains them all. */
export function leavesOf(
  json: unknown,
  count: number,
): readonly { readonly path: readonly string[]; readonly value: ContentValue['value'] }[] {
  return valuesOf(json)
    .values.slice(0, count)
    .map(({ path, value }) => ({ path: JSON.parse(path) as string[], value }));
}

class FoundValues implements ContentValues {
  readonly values: ContentValue[] = [];
  partial = false;
  /** Of values inside arrays: elsewhere no two have one path. */
  private readonly seen = new Map<string, Set<ContentValue['value']>>();

  /** `inner` is the part that `pathKey` puts between its brackets. */
  collect(value: unknown, inner: string, depth: number, inArray: boolean): void {
    if (typeof value !== 'object' || value === null) {
      this.add(inner, value as ContentValue['value'], inArray);
      return;
    }
    if (depth >= VALUE_LIMITS.depth) {
      this.partial = true;
      return;
    }
    const keys = Array.isArray(value) ? undefined : Object.keys(value);
    const length = keys?.length ?? (value as unknown[]).length;
    if (length === 0) this.add(inner, undefined, inArray);
    for (let at = 0; at < length && !this.isCut; at++) {
      const key = keys?.[at];
      if (key === undefined) this.collect((value as unknown[])[at], inner, depth + 1, true);
      else this.collect((value as Record<string, unknown>)[key], innerPath(inner, key), depth + 1, inArray);
    }
  }

  /** True when values were left out for being too many: there is no use in looking at more. */
  private get isCut(): boolean {
    return this.partial && this.values.length >= VALUE_LIMITS.leaves;
  }

  private add(inner: string, value: ContentValue['value'], inArray: boolean): void {
    const path = `[${inner}]`;
    const kept = typeof value === 'string' ? firstCharacters(value, VALUE_LIMITS.textCharacters) : value;
    if (inArray && this.isKnown(path, kept)) return;
    const isKeepable = path.length <= VALUE_LIMITS.pathLength && (typeof kept !== 'string' || kept.isWellFormed());
    if (isKeepable && this.values.length < VALUE_LIMITS.leaves) this.values.push({ path, value: kept });
    else this.partial = true;
  }

  /** Notes the value for the next time. */
  private isKnown(path: string, value: ContentValue['value']): boolean {
    const known = this.seen.get(path);
    if (known?.has(value)) return true;
    if (known) known.add(value);
    else this.seen.set(path, new Set([value]));
    return false;
  }
}

function innerPath(inner: string, key: string): string {
  const part = JSON.stringify(key);
  return inner === '' ? part : `${inner},${part}`;
}

/**
 * Orders texts by Unicode code point, which is also the order of their UTF-8 bytes. `<` of JavaScript compares UTF-16
 * units and puts characters beyond U+FFFF before U+E000.
 */
export function compareTexts(one: string, other: string): number {
  const shared = Math.min(one.length, other.length);
  for (let at = 0; at < shared; at++) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue;
    const start = at > 0 && isHighSurrogate(one.charCodeAt(at - 1)) ? at - 1 : at;
    return codePoint(one, start) - codePoint(other, start) || codePoint(one, at) - codePoint(other, at);
  }
  return one.length - other.length;
}

/** The first text, in code-point order, after all texts that start with `prefix`; `undefined` when there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const point = codePoint(last, 0);
    if (point === 0x10ffff) continue;
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return characters.join('') + String.fromCodePoint(next);
  }
  return undefined;
}

/** The first characters (code points) of a text. */
export function firstCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let left = count; left > 0 && end < text.length; left--) end += codePoint(text, end) > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

function codePoint(text: string, at: number): number {
  return text.codePointAt(at) ?? -1;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
