/** A part of a text, in UTF-16 code units: `text.slice(from, end)`. */
export interface Span {
  readonly from: number;
  readonly end: number;
}

/** In UTF-16 code units, which are the characters of most scripts. */
export const PASSAGE_LIMITS = {
  /** Longest text that is one passage. */
  wholeMax: 2400,
  /** Longest passage of a longer text. */
  lengthMax: 1200,
  /**
   * Maximum length that the next passage repeats: whole sentences or lines, so that "she" is near the name that it
   * refers to.
   */
  overlapMax: 200,
} as const;

/** Shortest passage but the last one: bounds the number of passages by the length of the text. */
const LENGTH_MIN = 800;
/** Maximum number of code units treated as one character, such as an emoji of a family. */
const CHARACTER_MAX = 32;

/** Where a text may be cut, best first: behind a paragraph, a line, a sentence, a word. */
const CUTS: readonly RegExp[] = [/\n[^\S\n]*\n\s*/g, /\n\s*/g, /[.!?…]+["'”’)\]]*\s+|[。！？]+[」』）]*\s*/g, /\s+/g];
const SENTENCE_START = /\n\s*|[.!?…]+["'”’)\]]*\s+|[。！？]+[」』）]*\s*/g;

/** Signs that go on with no character before them, but for a line feed behind a carriage return. */
const STARTS_ALONE = /^[!-~]/;
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * The passages of a text, in order: the units by which a long text is searched. They follow one another without a gap,
 * and each may repeat the end of the previous one. A text of at most `wholeMax` is one passage. No passage begins or
 * ends inside a character. At most one passage for each 500 code units.
 */
export function passagesOf(text: string): readonly Span[] {
  if (text.length <= PASSAGE_LIMITS.wholeMax) return [{ from: 0, end: text.length }];
  const passages: Span[] = [];
  for (let from = 0; ; ) {
    const end = endOf(text, from);
    passages.push({ from, end });
    if (end === text.length) return passages;
    from = startAfter(text, end);
  }
}

function endOf(text: string, from: number): number {
  const most = from + PASSAGE_LIMITS.lengthMax;
  if (text.length <= most) return text.length;
  const least = from + LENGTH_MIN;
  const window = text.slice(least, most);
  for (const cut of CUTS) {
    const last = lastEnd(window, cut);
    if (last > 0) return characterStart(text, least + last);
  }
  return characterStart(text, most);
}

/** Where the next passage begins: at the first sentence within the overlap, or where the last one ended. */
function startAfter(text: string, end: number): number {
  const overlap = text.slice(end - PASSAGE_LIMITS.overlapMax, end);
  SENTENCE_START.lastIndex = 0;
  const found = SENTENCE_START.exec(overlap);
  return found ? characterStart(text, end - overlap.length + found.index + found[0].length) : end;
}

/** End of the last match, 0 without one. */
function lastEnd(text: string, pattern: RegExp): number {
  let last = 0;
  for (const { index, 0: found } of text.matchAll(pattern)) last = index + found.length;
  return last;
}

/** Start of the character that has the place, or the place where the characters run into one another without an end. */
function characterStart(text: string, place: number): number {
  if (STARTS_ALONE.test(text.slice(place, place + 2))) return place;
  const from = place - CHARACTER_MAX;
  const at = characters.segment(text.slice(from, place + CHARACTER_MAX)).containing(CHARACTER_MAX);
  if (at && at.index > 0) return from + at.index;
  return isLowSurrogate(text.charCodeAt(place)) ? place - 1 : place;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
