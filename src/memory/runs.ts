import { plainNumbers } from './plain-text.ts';

const ASCII_TEXT = /^\p{ASCII}*$/u;
const ASCII_RUN = /[a-z0-9]+/g;
/** Has a sign that may belong to a word. */
const ASCII_SIGNED = /[#+]|[.@][a-z]|-(?![a-z0-9])/;
const LETTERS = /^\p{L}/u;
/** Nothing without its sign. */
export const SHORT_SIGNED = /^[a-z]{1,2}(?:#|\+{1,2}|-)$/;
/** Grades and blood groups, to which a minus belongs. */
const GRADE = /^(?:[a-f]|ab|o)$/;
/** Characters beside those of Thai and Lao. */
const NOT_THAI = /[^\u0e00-\u0eff]+/gu;
/** Invisible characters inside of words. */
const INVISIBLE = /[\u00ad\u2060\ufeff]|(?<=\p{M})[\u200c\u200d]/gu;
const EMOJI =
  /\p{RI}{2}|\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]*(?:\u200d\p{ExtPict}[\ufe0f\u{1f3fb}-\u{1f3ff}]*)*/uy;
/** Variants of an emoji in colour and form. */
const VARIANTS = /[\ufe0f\u{1f3fb}-\u{1f3ff}]/gu;

/**
 * Words of a text in lower case and reading order, with their accents: the one place where texts become words, for what
 * is stored, asked and ranked.
 *
 * - A sign that belongs to a word gives a second word: `net`, `.net`. Of one or two letters there is only that: `c#`.
 * - An emoji is a word, whatever its colour.
 * - Scripts without spaces are split by a dictionary (Thai, Lao, Khmer, Burmese), or give every sign and every pair of
 *   signs (Chinese, Japanese, Korean and smaller ones): `喜`, `喜欢`, `欢`.
 * - Numbers are in one form: see `plainNumbers`.
 */
export function runsOf(text: string): string[] {
  const lower = text.toLowerCase();
  const isAscii = ASCII_TEXT.test(lower);
  const plain = plainNumbers(isAscii ? lower : composed(lower).replace(INVISIBLE, ''));
  if (isAscii && !ASCII_SIGNED.test(plain)) return plain.match(ASCII_RUN) ?? [];
  const runs: string[] = [];
  for (let at = 0; at < plain.length; ) at = readRun(plain, at, runs);
  return runs;
}

/** In one form where Unicode has several; the dictionary knows vowels of Thai and letters of Lao as they are typed. */
function composed(text: string): string {
  return text.replace(NOT_THAI, (part) => part.normalize('NFKC'));
}

/** Adds what begins at a place of a text; returns the place behind it. */
function readRun(text: string, from: number, runs: string[]): number {
  const kind = kindAt(text, from);
  let end = from + widthAt(text, from);
  if (kind === EMBLEM) {
    EMOJI.lastIndex = from;
    const [emoji = ''] = EMOJI.exec(text) ?? [];
    if (emoji !== '') runs.push(emoji.replace(VARIANTS, ''));
    return from + (emoji.length || end - from);
  }
  if (kind === BETWEEN || kind === MARK) return end;
  while (end < text.length) {
    const next = kindAt(text, end);
    if (next !== kind && next !== MARK) break;
    end += widthAt(text, end);
  }
  const run = text.slice(from, end);
  if (kind === SEGMENTED) addSegments(run, runs);
  else if (kind === PAIRED) addPairs(run, runs);
  else {
    const signed = signedWord(text, from, end);
    if (signed === undefined || !SHORT_SIGNED.test(signed)) runs.push(run);
    if (signed !== undefined) runs.push(signed);
  }
  return end;
}

/** `.net`, `@acme`, `#harbour`, `c#`, `c++`, `disney+`, `ab-`. */
function signedWord(text: string, from: number, end: number): string | undefined {
  const word = text.slice(from, end);
  const before =
    /[.@#]/.test(text[from - 1] ?? '') && LETTERS.test(word) && !isWithin(text, from - 2) ? text[from - 1] : '';
  const [sign = ''] = /^(?:#|\+{1,2}|[-−])/.exec(text.slice(end, end + 2)) ?? [];
  const isGrade = GRADE.test(word) && !isWithin(text, from - 1);
  const behind = isWithin(text, end + sign.length) || (/[-−]/.test(sign) && !isGrade) ? '' : sign.replace('−', '-');
  return before || behind ? `${before}${word}${behind}` : undefined;
}

/** Whether a word, or a row of signs, goes on at a place. */
function isWithin(text: string, at: number): boolean {
  return (
    at >= 0 &&
    at < text.length &&
    (kindAt(text, at) !== BETWEEN || /[@#+]/.test(text.charAt(at)) || text.startsWith('..', at))
  );
}

let segmenter: Intl.Segmenter | undefined;

function addSegments(run: string, to: string[]): void {
  segmenter ??= new Intl.Segmenter('th', { granularity: 'word' });
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) to.push(segment);
}

const SIGN = /.\p{M}*/gu;

function addPairs(run: string, to: string[]): void {
  const signs = run.match(SIGN) ?? [];
  signs.forEach((sign, at) => {
    to.push(sign);
    if (at + 1 < signs.length) to.push(`${sign}${signs[at + 1]}`);
  });
}

/** What a character is to words. */
const BETWEEN = 1;
const LETTER = 2;
/** Goes on with any run. */
const MARK = 3;
/** Of a script without spaces, for which there is a dictionary. */
const SEGMENTED = 4;
/** Of a script of which each sign counts, and each pair of signs. */
const PAIRED = 5;
/** Begins an emoji. */
const EMBLEM = 6;

const KINDS: readonly (readonly [number, RegExp])[] = [
  [SEGMENTED, /[[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]&&[\p{L}\p{M}\p{N}]]/v],
  [MARK, /\p{M}/u],
  [
    PAIRED,
    /[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{scx=Bopo}\p{sc=Yi}\p{sc=Tai_Le}\p{sc=Talu}\p{sc=Lana}\p{sc=Tavt}\p{sc=Java}\p{sc=Bali}]&&[\p{L}\p{Nl}]]/v,
  ],
  [LETTER, /[\p{L}\p{N}]/u],
  [EMBLEM, /(?![©®])[\p{ExtPict}\p{RI}]/u],
];

/** By UTF-16 code unit; 0 until it is asked for. */
const kinds = new Uint8Array(0x10000);

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const known = kinds[unit] as number;
  if (known !== 0) return known;
  if ((unit & 0xf800) === 0xd800) return kindOf(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const kind = kindOf(text.charAt(at));
  kinds[unit] = kind;
  return kind;
}

function kindOf(character: string): number {
  return KINDS.find(([, pattern]) => pattern.test(character))?.[0] ?? BETWEEN;
}

function widthAt(text: string, at: number): number {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && at + 1 < text.length ? 2 : 1;
}
