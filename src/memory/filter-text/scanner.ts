import { parseNewJson } from '../json.ts';

const SPACE = /\s*/y;
/** A part of a name. */
const NAME = /[^\s()<>=!:,."'[\]{}]+/y;
/** A value without quotes, such as `state`, `10.5` or `2026-11-10T08:00:00Z`. */
const BARE = /[^\s()<>=!,"'[\]{}]+/y;
/** A time zone behind a day, as in `2026-11-10[Europe/Berlin]`. */
const BRACKETS = /\[[^\s[\]]*\]/y;
const SIGN = /!=|==|<>|<=|>=|[<>=:]/y;
/** Texts and brackets of JSON. */
const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{}]/gs;
const ESCAPES: { readonly [letter: string]: string } = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f', '/': '/' };
const SHOWN_CHARACTERS = 32;

/** Reads the text of a filter from left to right. */
export class Scanner {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  skipSpace(): void {
    this.match(SPACE);
  }

  /** Consumes the character if it is next after spaces. */
  skip(character: string): boolean {
    this.skipSpace();
    if (this.text[this.at] !== character) return false;
    this.at++;
    return true;
  }

  /** Consumes the signs if they are next after spaces. */
  skipText(signs: string): boolean {
    this.skipSpace();
    if (!this.text.startsWith(signs, this.at)) return false;
    this.at += signs.length;
    return true;
  }

  /** The next character behind spaces; `undefined` at the end. */
  peek(): string | undefined {
    this.skipSpace();
    return this.text[this.at];
  }

  /** Consumes a word, in upper or lower case, that is delimited on both sides. */
  keyword(word: string): boolean {
    this.skipSpace();
    const start = this.at;
    const found = this.match(NAME);
    if (found?.toUpperCase() === word && !/[.:=<>!"']/.test(this.text[this.at] ?? '')) return true;
    this.at = start;
    return false;
  }

  name(): string | undefined {
    this.skipSpace();
    return this.match(NAME);
  }

  bare(): string | undefined {
    this.skipSpace();
    return this.match(BARE);
  }

  bareWithBrackets(): string | undefined {
    const bare = this.bare();
    return bare === undefined ? undefined : bare + (this.match(BRACKETS) ?? '');
  }

  sign(): string | undefined {
    this.skipSpace();
    return this.match(SIGN);
  }

  /** A text in double or single quotes, if one is next. */
  quoted(): string | undefined {
    this.skipSpace();
    const start = this.at;
    const quote = this.text[start];
    if (quote !== '"' && quote !== "'") return undefined;
    let value = '';
    for (this.at++; this.text[this.at] !== quote; this.at++) {
      if (this.at >= this.text.length) throw this.error(`the quote ${quote} is not closed`, start);
      value += this.text[this.at] === '\\' ? this.escaped() : this.text[this.at];
    }
    this.at++;
    if (!value.isWellFormed()) throw this.error('expected a text of whole Unicode characters', start);
    return value;
  }

  /** The character behind a backslash. */
  private escaped(): string {
    const start = this.at++;
    const letter = this.text[this.at] ?? '';
    if (letter === '"' || letter === "'" || letter === '\\') return letter;
    if (letter === 'u') {
      const digits = /^[0-9a-fA-F]{4}/.exec(this.text.slice(this.at + 1))?.[0];
      if (digits === undefined) throw this.error('expected four hexadecimal digits after \\u', start);
      this.at += 4;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (meant === undefined)
      throw this.error('expected \\", \\\', \\\\, \\n, \\r, \\t or \\u after a backslash', start);
    return meant;
  }

  /** A JSON array or object, if one is next. */
  json(): unknown {
    this.skipSpace();
    const start = this.at;
    if (this.text[start] !== '[' && this.text[start] !== '{') return undefined;
    this.at = this.endOfJson(start);
    try {
      return parseNewJson(this.text.slice(start, this.at));
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      if (/^(number|the key) /.test(error.message)) throw this.error(error.message, start);
      const what = this.text[start] === '[' ? 'array' : 'object';
      throw this.error(`expected a JSON ${what}, such as ${what === 'array' ? '[12, "x"]' : '{"wood": 5}'}`, start);
    }
  }

  /** Behind the bracket that closes the one at `start`. */
  private endOfJson(start: number): number {
    let depth = 0;
    for (const { 0: token, index } of this.text.slice(start).matchAll(JSON_TOKEN)) {
      if (token === '[' || token === '{') depth++;
      else if ((token === ']' || token === '}') && --depth === 0) return start + index + 1;
    }
    throw this.error(`the bracket ${this.text[start] ?? ''} is not closed`, start);
  }

  error(problem: string, at = this.at): FilterTextError {
    return new FilterTextError(this.text, at, problem);
  }

  /** The error for unexpected input, up to `end` where a value was read. */
  expected(what: string, end = this.at): FilterTextError {
    this.skipSpace();
    return this.error(`expected ${what}, found ${this.found(end)}`);
  }

  private found(end: number): string {
    const rest = this.text.slice(this.at);
    if (rest === '') return 'the end';
    const token =
      this.text.slice(this.at, end) ||
      (/^(?:!=|<=|>=|[^\s()<>=!:,"'[\]{}]+)/u.exec(rest)?.[0] ?? String.fromCodePoint(rest.codePointAt(0) ?? 0));
    const characters = [...token];
    return `\`${characters.slice(0, SHOWN_CHARACTERS).join('')}${characters.length > SHOWN_CHARACTERS ? '…' : ''}\``;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    this.at += found?.length ?? 0;
    return found;
  }
}

/** The problem with the text of a filter, and its position. */
export class FilterTextError extends Error {
  override readonly name = 'FilterTextError';
  /** Of the character at fault, from 1, in Unicode code points. */
  readonly column: number;

  constructor(text: string, at: number, problem: string) {
    const column = [...text.slice(0, at)].length + 1;
    super(`column ${column}: ${problem}`);
    this.column = column;
  }
}
