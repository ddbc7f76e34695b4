import type { Micros } from '../../memory/memory.ts';
import { STOP_WORDS, stemOf, wordsOf } from '../../memory/words.ts';

/** Longer texts cover too many subjects to be a statement about one. */
const CHARACTERS_READ = 600;

/** States that something has changed or does not take place. */
export const CHANGED =
  /\b(moved|switched|changed|sold|quit|left|joined|became|replaced|cancel(s|l?ed|l?ing)?|call(ed|ing) off|(is|are|was|were|it's|been) off|postponed|delayed|brought forward|rescheduled|raised|lowered|increased|reduced|(went|gone) (up|down)|no longer|any ?more|any longer|no new|from now on|after all|instead|gave up|can(no|'|’)t (make|come)|(not|isn't|aren't|won't be) (coming|going)|paid (\w+ )?back|turned (me|us|him|her|them|it) down)\b/i;
/** May state a change. */
const CHANGES =
  /\b(now|nowadays|these days|since|new|isn't|aren't|won't|can't|doesn't|don't|not|never|still|again|finally|already)\b/i;

/** The parts of a text that can be compared with another text. */
export interface Statement {
  readonly stems: ReadonlySet<string>;
  readonly words: readonly string[];
  /** How explicitly it states a change. */
  readonly change: 'stated' | 'hinted' | 'none';
  /** Stems of what it denies; undefined where it denies nothing. */
  readonly denied: ReadonlySet<string> | undefined;
  readonly isQuestion: boolean;
  readonly atUs: Micros;
  /** Number of the speaker; -1 without one. */
  readonly speaker: number;
}

/** Ends in a question mark of any script. */
const ASKS = /[?？؟՞፧]\s*$/u;

export function readStatement(text: string, { atUs, speaker }: Pick<Statement, 'atUs' | 'speaker'>): Statement {
  const read = text.slice(0, CHARACTERS_READ);
  return {
    stems: stemsOf(read),
    words: wordsOf(read),
    change: CHANGED.test(read) ? 'stated' : CHANGES.test(read) ? 'hinted' : 'none',
    denied: deniedIn(read),
    isQuestion: isQuestion(text),
    atUs,
    speaker,
  };
}

/** A negation and its objects, up to the end of the clause. */
const DENIAL =
  /(?:\b(?:not|never|no longer|without|stopped|quit|gave up|given up|went off|cannot)\b|n['’]t\b)([^.,;:!?]*?)(?=[.,;:!?]|$|\b(?:because|but|so|since|and (?:i|we|he|she|they))\b)/i;

/** Whether it asks for what is not so. */
export function denies(question: string): boolean {
  return DENIAL.test(question);
}

function deniedIn(text: string): ReadonlySet<string> | undefined {
  const objects = DENIAL.exec(text)?.[1];
  return objects === undefined ? undefined : stemsOf(objects);
}

/**
 * Whether one of two statements denies a thing and the other states another thing: "plays the trumpet", "doesn't play the
 * piano".
 */
export function areOfOtherThings(
  one: Pick<Statement, 'stems' | 'denied'>,
  other: Pick<Statement, 'stems' | 'denied'>,
): boolean {
  if ((one.denied === undefined) === (other.denied === undefined)) return false;
  const [negated, positive] = one.denied ? [one, other] : [other, one];
  const hasOwn = (stems: Iterable<string>, beside: ReadonlySet<string>): boolean =>
    [...stems].some((stem) => !beside.has(stem) && !VERBS.has(stem));
  return hasOwn(negated.denied ?? [], positive.stems) && hasOwn(positive.stems, negated.stems);
}

export function isQuestion(text: string): boolean {
  return ASKS.test(text);
}

/** Stems of all words except stop words. */
export function stemsOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text);
  const known = stems.get(words);
  if (known) return known;
  const own = new Set<string>();
  for (const word of words) if (!STOP_WORDS.has(word)) own.add(stemOf(word));
  stems.set(words, own);
  return own;
}

/** Stems of the words that `wordsOf` keeps. */
const stems = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * Minimum share of common stems of two statements about the same subject, by how explicitly the newer one states a
 * change.
 */
const SAME_SHARES = { stated: 0.2, hinted: 0.35, none: 0.5 } as const;
/** Stems of verbs that a newer statement may replace by another one: "can't make it" for "will come". */
const VERBS: ReadonlySet<string> = new Set(
  'come go live work get make take drive run lead use happen stai attend plai eat drink studi teach call have be do own keep visit join meet said tell'.split(
    ' ',
  ),
);
/** Where the newer one lacks a word of the question that the older one has: "I moved" for "I live". */
const OTHER_VERB_SHARE = 0.5;
/** A text with more stems is not a statement about one subject. */
const STEMS_MAX = 14;
/** Most words of a value. */
const VALUE_WORDS_MAX = 8;

/** Stems that the question asks for. */
export interface AskedStems {
  readonly stems: ReadonlySet<string>;
  /** Stems of the names in it. */
  readonly names: ReadonlySet<string>;
  readonly denies: boolean;
}

/**
 * Whether the newer statement replaces the older one's statement about the requested subject: it states a change and
 * has the older one's words of the question or half of its words, or the two have most words in common.
 */
export function replacesStatement(newer: Statement, older: Statement, asked: AskedStems): boolean {
  if (newer.atUs < older.atUs || newer.isQuestion || older.isQuestion) return false;
  // Of one time are parts of a list as well, unless they are about what the question names.
  if (newer.atUs === older.atUs && asked.names.size === 0) return false;
  if (newer.speaker !== older.speaker || areOfOtherThings(newer, older)) return false;
  for (const name of asked.names) if (older.stems.has(name) && !newer.stems.has(name)) return false;
  const shared = countShared(newer.stems, older.stems);
  if (shared === 0) return false;
  if (haveOtherValues(newer, older, asked)) return true;
  if (Math.max(newer.stems.size, older.stems.size) > STEMS_MAX) return false;
  const keeps = [...older.stems].every((stem) => !asked.stems.has(stem) || newer.stems.has(stem) || VERBS.has(stem));
  const isAsked = countShared(newer.stems, asked.stems) > 0;
  const share = shared / (newer.change === 'none' ? newer.stems.size + older.stems.size - shared : older.stems.size);
  if (keeps && isAsked) return share >= SAME_SHARES[newer.change];
  return newer.change === 'stated' && share >= OTHER_VERB_SHARE;
}

/**
 * Whether two statements have the same words but for one value of any length, and the words in common are about what the
 * question names: "The treasurer of Halesoft is Ida Kahn."
 */
export function haveOtherValues(one: Statement, other: Statement, { stems, names }: AskedStems): boolean {
  const [a, b] = [one.words, other.words];
  const least = Math.min(a.length, b.length);
  let start = 0;
  while (start < least && a[start] === b[start]) start++;
  let end = 0;
  while (end < least - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  if (names.size === 0 || Math.max(a.length, b.length) - start - end > VALUE_WORDS_MAX || start + end === least)
    return false;
  const common = stemsOf([...a.slice(0, start), ...a.slice(a.length - end)].join(' '));
  return (
    [...names].every((name) => common.has(name)) && [...stems].some((stem) => !names.has(stem) && common.has(stem))
  );
}

function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let count = 0;
  for (const stem of one) if (other.has(stem)) count++;
  return count;
}

const DATE_NAMES =
  /^(mon|tues|wednes|thurs|fri|satur|sun)days?$|^(january|february|march|april|may|june|july|august|september|october|november|december)$/i;

/** Capitalized words that are not the first one, and no days or months. */
export function capitalizedIn(text: string): string[] {
  const names = text.match(/(?<=[\p{L}\p{N},'’] +)\p{Lu}[\p{L}]+/gu) ?? [];
  return names.filter((name) => !DATE_NAMES.test(name));
}

/** Stems of `capitalizedIn`. */
export function namesIn(question: string): ReadonlySet<string> {
  return new Set(capitalizedIn(question).flatMap((name) => [...stemsOf(name)]));
}
