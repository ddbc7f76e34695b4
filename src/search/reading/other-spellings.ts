import { type Language, languageOf } from '../../memory/languages/languages.ts';
import { foreignFormsOf, initialOf, languageOfTerm } from '../../memory/languages/terms.ts';
import { STOP_WORDS, stemOf, wordOf, wordsOf } from '../../memory/words.ts';

/** The words of a namespace, by the terms of its index. */
export interface Vocabulary {
  /** Terms of the texts that there are, or have been. */
  readonly terms: () => Iterable<string>;
  /** Number of texts that have a term. */
  readonly frequency: (term: string) => number;
  /** Whether any text has a word, in this or another form. */
  readonly hasWord: (stem: string, word: string) => boolean;
  /** Some texts that have a term. */
  readonly textsWith: (term: string) => readonly string[];
  /** Some texts with words that begin with these letters, one after the other. */
  readonly textsWithInitials: (letters: string) => readonly string[];
  /** Whether it is a word of some language, and no error. */
  readonly isWord: (word: string) => boolean;
  /** Whether it is the name of a speaker. */
  readonly isSpeaker: (word: string) => boolean;
}

/** A longer text is no question. */
const WORDS_MAX = 32;
/** Words of a question that are looked for. */
const RESPELLED_MAX = 4;
/** Shorter words are like many others. */
const LENGTH_MIN = 4;
/** From this length on two letters may be wrong, none of them at the beginning. */
const LONG_MIN = 7;
const BEGINNING = 2;
const CUT_LENGTH_MIN = 5;
/** Longest ending that the stem of a word lacks. */
const ENDING_MAX = 5;
/** Terms that are most alike, of which texts are read for the whole word. */
const READ_MAX = 8;
const RUN = /[\p{L}\p{M}\p{N}]+/gu;
/** Of scripts with spaces: words of others are signs, or come from a dictionary. */
const LETTERS =
  /^[\p{L}--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]]+$/v;
/** Initials of so many letters may be apart. */
const LETTERS_APART_MAX = 3;
const BETWEEN = "[ .&'’-]{1,2}";
const INITIALS = /^\p{Lu}{2,6}$/u;
const OF_NAME = /^\p{Lu}[\p{L}\p{M}]+$/u;
const NAME_WORDS_MIN = 3;
const TOGETHER_MIN = 3;
/** Endings of English words that are no error either. */
const ENDING = /^([a-z]{5,}?)(?:s|es|ed|ing|er|ers|ly)$/;

/**
 * The text with each word that the namespace lacks as the namespace writes it: with two wrong letters, cut at its end, in
 * one word or in two, as initials or in full. A known word of any language is no error.
 */
export function respelled(text: string, vocabulary: Vocabulary): string {
  const runs = text.match(RUN) ?? [];
  if (runs.length > WORDS_MAX) return text;
  const missing = [...new Set(runs)].filter((run) => isMissing(run, vocabulary)).slice(0, RESPELLED_MAX);
  const language = missing.length > 0 ? languageOf(text, wordsOf(text)) : undefined;
  // The name of a second speaker tells nothing in a talk of two.
  const namesSpeaker = missing.length > 0 && runs.some((run) => vocabulary.isSpeaker(wordIn(run)));
  let respelt = text;
  for (const run of missing) {
    const joined = joinedWith(run, runs, vocabulary);
    const spelling = joined ? undefined : spellingOf(run, language, vocabulary);
    if (joined) respelt = respelt.replace(alone(joined.apart.join(BETWEEN)), joined.together);
    if (spelling === undefined || (namesSpeaker && vocabulary.isSpeaker(wordIn(spelling)))) continue;
    respelt = respelt.replace(alone(run), spelling);
  }
  return respelt;
}

function isMissing(run: string, { hasWord }: Vocabulary): boolean {
  const word = wordIn(run);
  return LETTERS.test(word) && !STOP_WORDS.has(word) && !hasWord(stemOf(word), word);
}

function wordIn(run: string): string {
  return wordOf(run.toLowerCase());
}

function alone(pattern: string, flags = 'u'): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, flags);
}

interface Joined {
  readonly apart: readonly string[];
  readonly together: string;
}

/** Words of the question, one of them missing, that the namespace writes as one, or as the initials of a name. */
function joinedWith(run: string, runs: readonly string[], { hasWord }: Vocabulary): Joined | undefined {
  const isThere = (together: string): boolean => hasWord(stemOf(wordIn(together)), wordIn(together));
  const at = runs.indexOf(run);
  for (const from of [at - 1, at]) {
    const apart = runs.slice(Math.max(0, from), from + 2);
    const together = apart.join('');
    if (apart.length === 2 && together.length >= TOGETHER_MIN && isThere(together)) return { apart, together };
  }
  const isOfName = (one: string | undefined): boolean => one !== undefined && OF_NAME.test(one);
  if (!isOfName(run)) return undefined;
  let [from, end] = [at, at + 1];
  while (isOfName(runs[from - 1])) from--;
  while (isOfName(runs[end])) end++;
  for (; from + NAME_WORDS_MIN <= end; from++) {
    const apart = runs.slice(from, end);
    const together = apart.map((word) => word.charAt(0)).join('');
    if (isThere(together)) return { apart, together };
  }
  return undefined;
}

/** How the namespace writes a word that it lacks; undefined where it has nothing like it. */
function spellingOf(run: string, language: Language | undefined, vocabulary: Vocabulary): string | undefined {
  const inFull = INITIALS.test(run) ? nameOf(run, vocabulary) : undefined;
  if (inFull !== undefined) return inFull;
  if (isKnown(run.toLowerCase(), vocabulary)) return undefined;
  const word = wordIn(run);
  const found = inTwo(word, vocabulary) ?? nearestTo(word, language, vocabulary);
  const isName = /^\p{Lu}/u.test(run);
  return found !== undefined && isName ? `${found.charAt(0).toUpperCase()}${found.slice(1)}` : found;
}

function isKnown(word: string, { isWord }: Vocabulary): boolean {
  const [, beginning] = ENDING.exec(word) ?? [];
  return isWord(word) || (beginning !== undefined && (isWord(beginning) || isWord(`${beginning}e`)));
}

/** `J. P.` of JP, and of three letters and more the words that begin with them. */
function nameOf(initials: string, { textsWithInitials }: Vocabulary): string | undefined {
  const ending = initials.length > 2 ? '[\\p{L}\\p{M}]*\\.?' : '\\.';
  const pattern = alone([...initials].map((letter) => `${letter}${ending}`).join('[ -]?'));
  for (const text of textsWithInitials(initials.toLowerCase())) {
    const name = pattern.exec(text)?.[0];
    if (name !== undefined) return name;
  }
  return undefined;
}

/** The two words that a text has one after the other: `J. P. Morgan` of JPMorgan. */
function inTwo(word: string, { frequency, textsWith }: Vocabulary): string | undefined {
  for (let at = 2; at + 3 <= word.length; at++) {
    const [first, second] = [word.slice(0, at), word.slice(at)];
    const isShort = at <= LETTERS_APART_MAX;
    if (frequency(stemOf(second)) === 0 || !(isShort || frequency(stemOf(first)) > 0)) continue;
    const pattern = alone(`${isShort ? [...first].join('[. ]{0,2}') : first}${BETWEEN}${second}`, 'iu');
    for (const text of textsWith(stemOf(second))) {
      const apart = pattern.exec(text)?.[0];
      if (apart !== undefined) return apart;
    }
  }
  return undefined;
}

interface Alike {
  readonly term: string;
  readonly distance: number;
  readonly frequency: number;
}

/** The word of the language of the question with the fewest wrong letters, the most frequent one of them. The first letter is right. */
function nearestTo(word: string, language: Language | undefined, vocabulary: Vocabulary): string | undefined {
  if (word.length < LENGTH_MIN) return undefined;
  const errorsMax = word.length < LONG_MIN ? 1 : 2;
  const read = termsLike(word, errorsMax, vocabulary)
    .filter(({ term }) => language === undefined || languageOfTerm(term) === language)
    .slice(0, READ_MAX);
  let best: { readonly word: string; readonly errors: number; readonly frequency: number } | undefined;
  for (const { term, frequency } of read) {
    for (const whole of wordsOfTerm(term, vocabulary)) {
      const isCut = word.length >= CUT_LENGTH_MIN && whole.startsWith(word);
      const most = whole.startsWith(word.slice(0, BEGINNING)) ? errorsMax : 1;
      const errors = isCut ? 1 : errorsBetween(word, whole, most);
      if (errors > most) continue;
      const isBetter = !best || errors < best.errors || (errors === best.errors && frequency > best.frequency);
      if (isBetter) best = { word: whole, errors, frequency };
    }
  }
  return best?.word;
}

/** Terms that may be the stem of the word meant, most alike first. */
function termsLike(word: string, errorsMax: number, vocabulary: Vocabulary): Alike[] {
  const alike: Alike[] = [];
  const first = word.charCodeAt(0);
  for (const term of vocabulary.terms()) {
    const from = initialOf(term);
    if (term.charCodeAt(from) !== first) continue;
    const stem = from === 0 ? term : term.slice(from);
    if (stem.length < word.length - ENDING_MAX || stem.length < LENGTH_MIN - 1) continue;
    const distance = stem.startsWith(word) ? 1 : errorsBetween(word, stem, errorsMax, true);
    if (distance > errorsMax) continue;
    const frequency = vocabulary.frequency(term);
    if (frequency > 0) alike.push({ term, distance, frequency });
  }
  return alike.sort((a, b) => a.distance - b.distance || b.frequency - a.frequency || (a.term < b.term ? -1 : 1));
}

/** The words of some texts that have a term for it. */
function wordsOfTerm(term: string, { textsWith }: Vocabulary): ReadonlySet<string> {
  const language = languageOfTerm(term);
  const words = textsWith(term).flatMap((text) => wordsOf(text));
  const isOfTerm = (word: string): boolean =>
    language ? foreignFormsOf(word, word, [language]).includes(term) : stemOf(word) === term;
  return new Set(words.filter(isOfTerm));
}

/**
 * Letters to add, drop, change or swap with the next one on the way from one word to the other (optimal string alignment);
 * more than `most` where there are more. `isBeginning`: to the other from any beginning of the word.
 */
function errorsBetween(word: string, other: string, most: number, isBeginning = false): number {
  if (!isBeginning && Math.abs(word.length - other.length) > most) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  let least = row.at(-1) ?? 0;
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + Number(word[i - 1] !== other[j - 1]);
      const isSwapped = i > 1 && j > 1 && word[i - 1] === other[j - 2] && word[i - 2] === other[j - 1];
      const swap = isSwapped ? (before[j - 2] ?? 0) + 1 : change;
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > most) break;
    [before, row] = [row, next];
    least = Math.min(least, row.at(-1) ?? 0);
    if (i === word.length) return isBeginning ? least : (row.at(-1) ?? 0);
  }
  return isBeginning ? least : most + 1;
}
