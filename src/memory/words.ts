import { stemmer } from 'stemmer';
import type { Micros } from './memory.ts';
import { withoutAccents } from './plain-text.ts';
import { runsOf } from './runs.ts';

const ASCII_TEXT = /^\p{ASCII}*$/u;
const STEMMABLE = /^[a-z]{3,}$/;

/** Longer words are cut: they are identifiers or noise, and equal beginnings are enough to find them. */
export const WORD_LENGTH_MAX = 64;

/** Words of a text in reading order, lower-cased and without accents: see `runsOf`. */
export function wordsOf(text: string): readonly string[] {
  const known = texts.get(text);
  if (known) return known;
  const words: string[] = [];
  for (const run of runsOf(text)) {
    const word = wordOf(run);
    if (word !== '') words.push(word);
  }
  if (text.length > TEXT_KEPT_MAX) return words;
  if (texts.size >= TEXTS_KEPT) texts.clear();
  texts.set(text, words);
  return words;
}

/** Words of texts: one recall looks at the same few texts many times. */
const texts = new Map<string, readonly string[]>();
const TEXTS_KEPT = 256;
const TEXT_KEPT_MAX = 2000;

/** A run of `runsOf` without its accents. */
export function wordOf(run: string): string {
  if (ASCII_TEXT.test(run)) return run;
  const known = folded.get(run);
  if (known !== undefined) return known;
  const word = withoutAccents(run);
  if (folded.size >= STEMS_MAX) folded.clear();
  folded.set(run, word);
  return word;
}

/** Words of runs. */
const folded = new Map<string, string>();

/**
 * Stem of a word of `wordsOf`: Porter's of English ("An algorithm for suffix stripping", 1980), and of scripts whose
 * languages have no stemmer here what a word begins with, without the prefixes of Hebrew and Arabic. `2nd` is `second`.
 */
export function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const cut = word.slice(0, WORD_LENGTH_MAX);
  const stem = STEMMABLE.test(cut) ? stemmer(cut) : ASCII_TEXT.test(cut) ? stemOfOrdinal(cut) : stemOfScript(cut);
  if (stems.size >= STEMS_MAX) stems.clear();
  stems.set(word, stem);
  return stem;
}

const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth'.split(' ');

/** The word for `2nd` up to the twelfth; `undefined` for any other word. */
export function ordinalOf(word: string): string | undefined {
  const [, digits] = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(word) ?? [];
  return digits === undefined ? undefined : ORDINALS[Number(digits) - 1];
}

function stemOfOrdinal(word: string): string {
  const ordinal = ordinalOf(word);
  return ordinal === undefined ? word : stemmer(ordinal);
}

/** "And", "the", "in", "to", "from", "like", "that" are letters before a Hebrew word, two and more of them too. */
const HEBREW_PREFIXES = /^[והבכלמש]{1,4}(?=\p{L}{3})/u;
const HEBREW_PLURALS = /(?<=\p{L}{3})(?:ימ|ות)$/u;
const ARABIC_PREFIXES = /^(?:[وفبك]?ال|لل)(?=\p{L}{3})/u;
/** Scripts that inflect at the end, of languages without a stemmer. */
const BEGINNING =
  /^(?:(?![\p{sc=Latin}\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}])\p{L}\p{M}*){5}/u;

function stemOfScript(word: string): string {
  const bare = word.replace(HEBREW_PREFIXES, '').replace(HEBREW_PLURALS, '').replace(ARABIC_PREFIXES, '');
  return BEGINNING.exec(bare)?.[0] ?? bare;
}

const STEMS_MAX = 50_000;
const stems = new Map<string, string>();

/** Stems of a text that are worth searching for, in reading order, repetitions included. */
export function termsOf(text: string): string[] {
  return termsOfWords(wordsOf(text));
}

/** The same of the words of `wordsOf`. */
export function termsOfWords(words: readonly string[]): string[] {
  const terms: string[] = [];
  for (const word of words) if (!STOP_WORDS.has(word)) terms.push(stemOf(word));
  return terms;
}

/** English words that carry no meaning for a search. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
  but by can could couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn
  have haven having he her here hers herself him himself his how i if in into is isn it its itself just ll m ma me might
  mightn more most must mustn my myself needn no nor not now o of off on once only or other our ours ourselves out over
  own re s same shan she should shouldn so some such t than that the their theirs them themselves then there these they
  this those through to too under until up ve very was wasn we were weren what when where which while who whom why will
  with won would wouldn y you your yours yourself yourselves`.split(/\s+/),
);

const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** An instant as a date in words, such as "8 May 2023", in UTC: how people ask for days. */
export function spokenDate(instantUs: Micros): string {
  const date = new Date(instantUs / 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

/** Of a longer list the first and the last half of so many. */
export function firstAndLast<T>(list: T[], countMax: number): T[] {
  if (list.length <= countMax) return list;
  const half = countMax >> 1;
  return [...list.slice(0, countMax - half), ...list.slice(-half)];
}
