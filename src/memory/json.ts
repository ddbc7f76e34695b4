import { crc32 } from 'node:zlib';
import { MnemeError } from './errors.ts';

const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;
const STRING_AND_COLON = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gs;
/** Deeper than any accepted input; keeps a hostile text from exhausting the stack. */
const DEPTH_MAX = 1000;

/**
 * The value of a JSON text; fails with SyntaxError. Numbers are those of `exactNumber`. Texts with an escape in a key are
 * parsed here: `JSON.parse` of V8 13 and 14 misreads such a key after a key that ends in a backslash
 * (https://github.com/nodejs/node/issues/63785).
 */
export function parseJson(text: string): unknown {
  return LONG_NUMBER.test(text) || hasEscapedKey(text) ? new JsonReader(text).document() : JSON.parse(text);
}

/**
 * The value of a JSON text that comes in, as `parseJson` has it. A key that an object has twice is refused: readers
 * differ in which of its values counts.
 */
export function parseNewJson(text: string): unknown {
  const value = parseJson(text);
  // Fewer keys than colons behind texts: one of the keys occurs twice in its object.
  return keyCount(value, 0) === colonCount(text) ? value : new JsonReader(text, { isStrict: true }).document();
}

/** May be a number that a double cannot hold: sixteen digits of a whole part, or an exponent that enlarges. */
const LONG_NUMBER = /(?<![\d.])\d{16}|\d[eE]\+?\d/;
const PARTS = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

/**
 * The value of a number in decimal notation: a bigint for integers beyond ±(2^53 - 1), otherwise a double. So two
 * integers are equal only when all their digits are. Fails with SyntaxError where neither holds the number: beyond the
 * range of doubles, and beyond 2^53 with a fraction.
 */
export function exactNumber(source: string): number | bigint {
  const number = Number(source);
  if (Math.abs(number) < 2 ** 53) return number;
  const [, sign, whole = '', fraction = '', exponent = '0'] = PARTS.exec(source) ?? [];
  const shown = source.length > 40 ? `${source.slice(0, 40)}…` : source;
  if (!Number.isFinite(number)) throw new SyntaxError(`number must be within ±1.8e308, got ${shown}`);
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, '0');
  if (/[1-9]/.test(digits.slice(point))) {
    throw new SyntaxError(`number beyond 2^53 must be an integer, got ${shown}`);
  }
  const integer = BigInt(digits.slice(0, point));
  return sign === '-' ? -integer : integer;
}

/** The number of a text, exact as by `exactNumber`; `undefined` where the text is none, or none that can be exact. */
export function numberIn(text: string): number | bigint | undefined {
  const trimmed = text.trim();
  if (!/\d/.test(trimmed) || !PARTS.test(trimmed)) return undefined;
  try {
    return exactNumber(trimmed);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The number as `exactNumber` would return it for the exact value of the double. */
export function exactDouble(number: number): number | bigint {
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? BigInt(number) : number;
}

/**
 * The value of a JSON text whose numbers `JSON.stringify` writes as they are written here, such as `1.50`; fails with
 * SyntaxError.
 */
export function asWritten(text: string): unknown {
  return rawJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined ? rawJson.rawJSON(source) : value,
  );
}

interface RawJson {
  parse(text: string, revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
}

const rawJson = JSON as unknown as RawJson;

/** `JSON.stringify` writes every bigint with all its digits; `parseJson` reads them back. */
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  value(this: bigint): unknown {
    return rawJson.rawJSON(String(this));
  },
});

/** Whether `JSON.stringify` writes the object as it is: replacers see a bigint as such an object. */
export function isRawJson(value: object): boolean {
  return rawJson.isRawJSON(value);
}

function keyCount(value: unknown, depth: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth >= DEPTH_MAX) throw tooDeep();
  let count = Array.isArray(value) ? 0 : Object.keys(value).length;
  for (const each of Object.values(value)) count += keyCount(each, depth + 1);
  return count;
}

/** Colons outside texts. The text must be valid JSON. */
function colonCount(json: string): number {
  let count = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === QUOTE) isText = !isText;
    else if (isText) at += unit === BACKSLASH ? 1 : 0;
    else if (unit === COLON) count++;
  }
  return count;
}

/** Position, from 0, of the first JSON error and its description; `undefined` for valid JSON. */
export function jsonFault(text: string): { readonly position: number; readonly what: string } | undefined {
  const reader = new JsonReader(text, { isStrict: true });
  try {
    reader.document();
    return undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { position: reader.position, what: error.message.replace(/ at position \d+$/, '') };
  }
}

function tooDeep(): SyntaxError {
  return new SyntaxError(`JSON is more than ${DEPTH_MAX} levels deep`);
}

function hasEscapedKey(text: string): boolean {
  if (!text.includes('\\')) return false;
  for (const [token, colon] of text.matchAll(STRING_AND_COLON)) if (colon && token.includes('\\')) return true;
  return false;
}

class JsonReader {
  private readonly text: string;
  private at = 0;
  private readonly isStrict: boolean;
  private depth = 0;

  /** `isStrict`: a key that an object has twice is an error; otherwise its last value counts. */
  constructor(text: string, { isStrict }: { readonly isStrict: boolean } = { isStrict: false }) {
    this.text = text;
    this.isStrict = isStrict;
  }

  get position(): number {
    return this.at;
  }

  document(): unknown {
    const value = this.value();
    if (this.at < this.text.length) throw this.unexpected();
    return value;
  }

  /** A value with the space around it. */
  private value(): unknown {
    this.match(SPACE);
    const value = this.bareValue();
    this.match(SPACE);
    return value;
  }

  private bareValue(): unknown {
    switch (this.text[this.at]) {
      case '{':
        return this.nested(() => this.object());
      case '[':
        return this.nested(() => this.array());
      case '"':
        return this.string();
      default:
        return this.number() ?? JSON.parse(this.match(WORD) ?? this.fail());
    }
  }

  private number(): number | bigint | undefined {
    const start = this.at;
    const source = this.match(NUMBER);
    if (source === undefined) return undefined;
    try {
      return exactNumber(source);
    } catch (error) {
      this.at = start;
      throw error;
    }
  }

  private object(): object {
    const value = {};
    this.match(SPACE);
    if (this.skip('}')) return value;
    do {
      this.match(SPACE);
      const start = this.at;
      const key = this.string();
      if (this.isStrict && Object.hasOwn(value, key)) {
        this.at = start;
        throw new SyntaxError(`the key ${JSON.stringify(key.slice(0, 80))} occurs twice in an object`);
      }
      this.match(SPACE);
      if (!this.skip(':')) this.fail();
      // An assignment to `__proto__` would set the prototype.
      Object.defineProperty(value, key, { value: this.value(), writable: true, enumerable: true, configurable: true });
    } while (this.skip(','));
    if (!this.skip('}')) this.fail();
    return value;
  }

  private array(): unknown[] {
    const values: unknown[] = [];
    this.match(SPACE);
    if (this.skip(']')) return values;
    do values.push(this.value());
    while (this.skip(','));
    if (!this.skip(']')) this.fail();
    return values;
  }

  private nested<T>(read: () => T): T {
    if (++this.depth > DEPTH_MAX) throw tooDeep();
    this.at++;
    const value = read();
    this.depth--;
    return value;
  }

  private string(): string {
    return JSON.parse(this.match(STRING) ?? this.fail()) as string;
  }

  private skip(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    this.at += found?.length ?? 0;
    return found;
  }

  private fail(): never {
    throw this.unexpected();
  }

  private unexpected(): SyntaxError {
    const found = this.text[this.at];
    return new SyntaxError(found === undefined ? 'JSON ends too early' : `unexpected ${found} at position ${this.at}`);
  }
}

/** Strings and literals (numbers, true, false, null) of a JSON text. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[^\s,:[\]{}"]+/g;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Depth of the deepest array or object; 0 for a number, string or literal. The bytes must be valid JSON in UTF-8. */
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
  // Not `matchAll`, which takes three times as long.
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

/** The last property: no other value of the JSON kept here ends so. */
const SUM = /,"crc":(\d{1,10})\}$/;
const SUM_LENGTH_MAX = 18;

/** JSON of an object that has properties, with the CRC-32 of the rest of it as its last one. */
export function checkedJson(value: object): string {
  const json = JSON.stringify(value);
  return `${json.slice(0, -1)},"crc":${crc32(json)}}`;
}

/**
 * Parses a stored object. Fails with CHECKSUM_MISMATCH when the object is not the stored one; JSON without a checksum
 * need only be valid.
 */
export function readCheckedJson(json: string): unknown {
  const sum = SUM.exec(json.slice(-SUM_LENGTH_MAX));
  const kept = sum ? `${json.slice(0, -sum[0].length)}}` : json;
  if (sum && crc32(kept) !== Number(sum[1])) throw damaged();
  try {
    return JSON.parse(kept);
  } catch (cause) {
    throw damaged(cause);
  }
}

function damaged(cause?: unknown): MnemeError {
  return new MnemeError('CHECKSUM_MISMATCH', 'stored JSON failed checksum verification', { cause });
}
