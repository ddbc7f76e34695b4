import { withoutTimes } from '../../memory/time/time-expressions.ts';
import { STOP_WORDS, stemOf, wordsOf } from '../../memory/words.ts';
import { namesIn } from '../reading/read-statement.ts';

/**
 * The kind of answer that a question asks for (a place, a person, a time, a number), judged by its words; in English.
 */
type AnswerKind = 'place' | 'person' | 'time';

export interface AskedAgreement {
  /** Stems of the names in the question, its numbers that are no times, words with signs, and emoji. */
  readonly names: ReadonlySet<string>;
  readonly kind: AnswerKind | undefined;
  readonly words: readonly string[];
  /** Places of each word in `words`. */
  readonly places: ReadonlyMap<string, readonly number[]>;
}

/** How a text agrees with a question beyond the sum of its words. */
export interface Agreement {
  /** 1 for a text with all names of the question, -1 for one with none; 0 for a question without names. */
  readonly named: number;
  /** 1 for a text that has the requested kind (a place, a person or a time), -1 for one that does not; else 0. */
  readonly kind: number;
  /** Length of the longest run of words that both have, stop words included: 0 for one word, 1 for four. */
  readonly phrase: number;
}

/** Of longer texts the beginning is read. */
const CHARACTERS_READ = 1200;
const RUN_MAX = 4;
/** Numbers, words with signs and emoji: only the very same word agrees. */
const EXACT = /^\d+(?:st|nd|rd|th)?$|[#+.@-]|\p{ExtPict}|\p{RI}/u;
/** Names are distinguished from other words by their capitals, which German has on every noun. */
const ENGLISH =
  /\b(the|is|are|of|does|did|what|who|whose|when|where|which|how|and|to|my|with|for|his|her|their|has|have)\b/i;
const PLACE_ASKED = /\bwhere\b|\b(which|what) (city|town|village|country|place|street|address)\b/i;
const PERSON_ASKED = /^\W*(who|whom|whose)\b(?! (is|was|are|were) \p{Lu})|\b(to|with|by|from) whom\b/iu;
const TIME_ASKED = /\b(when|what (date|day|month|year|time))\b/i;
const PLACE_TOLD =
  /\b(in|at|near|from|to|under|behind|beside|inside|outside|below|above|opposite|on|by|across|around|between|via) (the|a|an|my|our|his|her|their|your|its|\p{Lu}|\w+ \d)|\b(home|upstairs|downstairs|abroad|street|road|address)\b/u;
const PERSON_TOLD =
  /[a-z,;0-9] +(?!I\b)\p{Lu}\p{Ll}+|\b(my|his|her|our|their|your|the) (\w+ )?(mother|father|mum|mom|dad|sister|brother|son|daughter|wife|husband|aunt|uncle|cousin|friend|boss|manager|neighbou?r|colleague|teacher|doctor|landlord|partner|girlfriend|boyfriend|grand\w+|niece|nephew)\b/u;
const NAMED_FIRST =
  /^\W*(\p{Lu}\p{Ll}+)('s)? (and \p{Lu}|\p{Ll}+(s|ed)\b|will|can|got|won|made|took|went|came|said|gave|ran|wrote|brought|left|broke|paid|sold|bought|found|did)/u;
const TIME_TOLD =
  /\b(yesterday|today|tonight|tomorrow|last|next|ago|weeks?|weekends?|months?|years?|(mon|tues|wednes|thurs|fri|satur|sun)days?|since|mornings?|nights?|evenings?|afternoons?|noon|midnight|spring|summer|autumn|winter|daily|weekly|o'clock|half past|january|february|march|april|may|june|july|august|september|october|november|december|\d{4})\b|\b\d{1,2}([:.]\d\d| ?[ap]\.?m\b|th\b|st\b)|\bat (\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/i;

export function askedAgreement(text: string): AskedAgreement {
  const words = wordsOf(text);
  const places = new Map<string, number[]>();
  words.forEach((word, at) => {
    const known = places.get(word);
    if (known) known.push(at);
    else places.set(word, [at]);
  });
  const timeless = withoutTimes(text);
  const exact = wordsOf(timeless).flatMap((word) => (EXACT.test(word) ? [stemOf(word)] : []));
  const names = new Set([...(ENGLISH.test(text) ? namesIn(timeless) : []), ...exact]);
  return { names, kind: kindOf(text), words, places };
}

function kindOf(text: string): AnswerKind | undefined {
  if (PLACE_ASKED.test(text)) return 'place';
  if (PERSON_ASKED.test(text)) return 'person';
  return TIME_ASKED.test(text) ? 'time' : undefined;
}

/** `speaker` is the name of the speaker of the text; empty without one. */
export function agreementOf(asked: AskedAgreement, whole: string, speaker: string): Agreement {
  const text = whole.slice(0, CHARACTERS_READ);
  const words = wordsOf(text);
  return {
    named: asked.names.size === 0 ? 0 : namedIn(asked.names, [...words, ...wordsOf(speaker)]),
    kind: asked.kind === undefined ? 0 : tells(asked.kind, text, speaker) ? 1 : -1,
    phrase: phraseOf(asked, words),
  };
}

function namedIn(names: ReadonlySet<string>, words: readonly string[]): number {
  const stems = new Set(words.map(stemOf));
  let there = 0;
  for (const name of names) if (stems.has(name)) there++;
  return (2 * there) / names.size - 1;
}

function tells(kind: AnswerKind, text: string, speaker: string): boolean {
  if (kind === 'place') return PLACE_TOLD.test(text);
  if (kind === 'time') return TIME_TOLD.test(text);
  if (speaker !== '' && /\b(I|my|me|I'm|I've|I'll|I'd)\b/.test(text)) return true;
  const first = NAMED_FIRST.exec(text)?.[1]?.toLowerCase();
  return PERSON_TOLD.test(text) || (first !== undefined && !STOP_WORDS.has(first));
}

/** A run counts when at least one of its words is not a stop word. */
function phraseOf({ words: asked, places }: AskedAgreement, words: readonly string[]): number {
  let longest = 1;
  for (let at = 0; at < words.length; at++) {
    for (const place of places.get(words[at] as string) ?? []) {
      if (at > 0 && place > 0 && words[at - 1] === asked[place - 1]) continue;
      let length = 0;
      let says = false;
      while (words[at + length] !== undefined && words[at + length] === asked[place + length]) {
        if (!STOP_WORDS.has(words[at + length] as string)) says = true;
        length++;
      }
      if (says && length > longest) longest = length;
    }
  }
  return (Math.min(RUN_MAX, longest) - 1) / (RUN_MAX - 1);
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');
const MICROS_PER_MS = 1000;

/** The date that a question mentions. Parts that it does not mention are absent. */
export interface DateParts {
  readonly day?: number;
  /** From 0. */
  readonly month?: number;
  readonly year?: number;
}

/** "May" counts only with a day or a year: alone it is more often a verb. */
export function datePartsOf(words: readonly string[]): DateParts {
  const parts: { day?: number; month?: number; year?: number } = {};
  words.forEach((word, at) => {
    const month = MONTHS.indexOf(word);
    const beside = [words[at - 1] ?? '', words[at + 1] ?? ''];
    const day = beside.map(dayOf).find((one) => one !== undefined);
    if (month >= 0 && (word !== 'may' || day !== undefined || beside.some(isYear))) {
      parts.month = month;
      if (day !== undefined) parts.day = day;
    }
    if (isYear(word)) parts.year = Number(word);
  });
  return parts;
}

export function countOfParts({ day, month, year }: DateParts): number {
  return Number(day !== undefined) + Number(month !== undefined) + Number(year !== undefined);
}

/** How many of the parts a wall time has. */
export function partsMet(parts: DateParts, wallUs: number): number {
  if (countOfParts(parts) === 0) return 0;
  const date = new Date(wallUs / MICROS_PER_MS);
  return (
    Number(parts.day === date.getUTCDate()) +
    Number(parts.month === date.getUTCMonth()) +
    Number(parts.year === date.getUTCFullYear())
  );
}

function isYear(word: string): boolean {
  return /^(19|20)\d\d$/.test(word);
}

function dayOf(word: string): number | undefined {
  const found = /^(\d{1,2})(st|nd|rd|th)?$/.exec(word);
  const day = Number(found?.[1] ?? 0);
  return day >= 1 && day <= 31 ? day : undefined;
}
