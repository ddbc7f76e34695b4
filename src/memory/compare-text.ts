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

/** The first text, in code-point order, after all those that start with `prefix`; `undefined` when there is none. */
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
