import { stemmer } from 'stemmer';
import type { Micros } from './memory.ts';

/** One sign of a script that writes without spaces, or a run of letters and digits of any other. */
const WORD = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]|[\p{L}\p{N}]+/gu;
const RUN_WITH_CJK = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const SPLIT_CJK =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]+/gu;
const MARKS = /\p{M}+/gu;
const ASCII_TEXT = /^\p{ASCII}*$/u;
const ASCII_WORD = /[a-z0-9]+/g;
const STEMMABLE = /^[a-z]{3,}$/;

/** Longer words are cut: they are identifiers or noise, and equal beginnings are enough to find them. */
export const WORD_LENGTH_MAX = 64;

/**
 * Words of a text in reading order, lower-cased and without diacritics. Signs of scripts that write without spaces come
 * one by one, so that a query finds them inside a sentence.
 */
export function wordsOf(text: string): string[] {
  const lower = text.toLowerCase();
  if (ASCII_TEXT.test(lower)) return lower.match(ASCII_WORD) ?? [];
  const runs = lower.normalize('NFKD').replace(MARKS, '').match(WORD) ?? [];
  return runs.flatMap((run) => (run.length > 1 && RUN_WITH_CJK.test(run) ? (run.match(SPLIT_CJK) ?? []) : [run]));
}

/** Stem of a word of `wordsOf` (Porter, "An algorithm for suffix stripping", 1980); words of other scripts stay. */
export function stemOf(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const cut = word.slice(0, WORD_LENGTH_MAX);
  const stem = STEMMABLE.test(cut) ? stemmer(cut) : cut;
  if (stems.size >= STEMS_MAX) stems.clear();
  stems.set(word, stem);
  return stem;
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
