/** Strings and bare words (numbers, true, false, null) of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:[\]{}"]+/g;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Depth of the deepest array or object; 0 for a bare value. The bytes must be valid JSON in UTF-8. */
export function jsonDepth(json: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let isText = false;
  for (let i = 0; i < json.length; i++) {
    const byte = json[i];
    if (byte === QUOTE) isText = !isText;
    else if (isText) i += byte === BACKSLASH ? 1 : 0;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
  }
  return deepest;
}

/**
 * Keys and values in reading order, with spaces between, as they are written: numbers keep all their digits, and keys
 * that look like numbers keep their place, which `JSON.parse` would not give. Nulls are left out. Ends soon after
 * `lengthMax` characters. The text must be valid JSON.
 */
export function jsonText(json: string, lengthMax: number): string {
  let text = '';
  TOKEN.lastIndex = 0;
  // A loop over `matchAll` takes three times as long.
  for (let match = TOKEN.exec(json); match && text.length <= lengthMax; match = TOKEN.exec(json)) {
    const word = wordOf(match[0]);
    if (word !== '') text += text === '' ? word : ` ${word}`;
  }
  return text;
}

function wordOf(token: string): string {
  if (!token.startsWith('"')) return token === 'null' ? '' : token;
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}
