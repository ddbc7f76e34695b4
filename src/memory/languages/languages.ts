import { STOP_WORDS, wordsOf } from '../words.ts';
import {
  ENGLISH_WORDS,
  FUNCTION_WORDS,
  type FunctionWords,
  type LatinLanguage,
  OTHER_WORDS,
} from './function-words.ts';

/** Languages other than English with a stemmer, by ISO 639-1. */
export type Language = LatinLanguage | 'ru' | 'el' | 'ar';

/** Of a longer text the beginning decides. */
const WORDS_READ = 150;
const CHARACTERS_READ = 4_000;
const SURE = 3;
const WEAK = 1;
/** One sure word, or three weak ones. */
const SCORE_MIN = 3;
const LETTERS_MAX = 3;

const LATIN = Object.keys(FUNCTION_WORDS) as LatinLanguage[];
/** Place of English in the scores; languages without a stemmer follow. */
const ENGLISH = LATIN.length;
const COUNT = ENGLISH + 1 + OTHER_WORDS.length;

/** By word: pairs of a place in the scores and a weight. */
const weights = weightsOfWords();

function weightsOfWords(): ReadonlyMap<string, readonly number[]> {
  const known = new Map<string, number[]>();
  const add = (words: string, place: number, weight: number): void => {
    for (const word of words.split(/\s+/)) {
      const pairs = known.get(word) ?? [];
      known.set(word, [...pairs, place, weight]);
    }
  };
  LATIN.forEach((language, place) => {
    add(FUNCTION_WORDS[language].sure, place, SURE);
    add(FUNCTION_WORDS[language].weak, place, WEAK);
  });
  OTHER_WORDS.forEach((words, at) => {
    add(words, ENGLISH + 1 + at, SURE);
  });
  for (const word of [...STOP_WORDS, ...ENGLISH_WORDS.split(/\s+/)]) add(word, ENGLISH, known.has(word) ? WEAK : SURE);
  return known;
}

/** Letters with accents, and of the scripts below. English texts have other characters beyond ASCII: quotes, dashes, emoji. */
const FOREIGN_LETTER = /[\u00a1\u00bf-\u06ff]/;
const CYRILLIC = /\p{sc=Cyrillic}/gu;
const GREEK = /\p{sc=Greek}/gu;
const ARABIC = /\p{sc=Arabic}/gu;
const LATIN_LETTERS = /\p{sc=Latin}/gu;
const LETTERS = /\p{L}/gu;
/** Letters of other languages in the same script: Ukrainian, Belarusian, Serbian, Macedonian; Persian, Urdu. */
const NOT_RUSSIAN = /[іїєґўђјљњћџѓќѕ]/i;
const NOT_ARABIC = /[پچژگکی]/;
/** Letters that few languages have. */
const LETTERS_OF: readonly (readonly [RegExp, readonly (readonly [LatinLanguage, number])[]])[] = [
  [/ß/giu, [['de', 3]]],
  [
    /[äöü]/giu,
    [
      ['de', 2],
      ['fi', 1],
      ['sv', 1],
    ],
  ],
  [/[ñ¿¡]/giu, [['es', 3]]],
  [/[ãõ]/giu, [['pt', 3]]],
  [/[èêëîûœ]/giu, [['fr', 2]]],
  [
    /é/giu,
    [
      ['fr', 1],
      ['es', 1],
      ['pt', 1],
    ],
  ],
  [
    /ç/giu,
    [
      ['fr', 1],
      ['pt', 1],
    ],
  ],
  [
    /[áíóú]/giu,
    [
      ['es', 1],
      ['pt', 1],
    ],
  ],
  [/[ìòù]/giu, [['it', 2]]],
  [
    /[æø]/giu,
    [
      ['da', 2],
      ['no', 2],
    ],
  ],
  [
    /å/giu,
    [
      ['sv', 1],
      ['da', 1],
      ['no', 1],
    ],
  ],
  [/[őű]/giu, [['hu', 3]]],
  [/[ğı]/gu, [['tr', 3]]],
  [/[șțăţ]/giu, [['ro', 3]]],
];

/**
 * Language of a text, from its script, or from frequent words and letters that few languages share; `undefined` for
 * English and wherever the text does not decide. The same text has the same language always. `words` are those of
 * `wordsOf`.
 */
export function languageOf(text: string, words: readonly string[] = wordsOf(text)): Language | undefined {
  if (FOREIGN_LETTER.test(text)) {
    const ofScript = languageOfScript(text.slice(0, CHARACTERS_READ).normalize('NFC'));
    if (ofScript !== 'latin') return ofScript;
  }
  return LATIN[bestOf(text, words)];
}

/** True where a text shows another language than English, by its script, or by its words and letters. */
export function isForeign(text: string): boolean {
  const start = text.slice(0, CHARACTERS_READ);
  if (2 * countOf(start, LATIN_LETTERS) < countOf(start, LETTERS)) return true;
  return bestOf(text, wordsOf(text)) !== ENGLISH;
}

/** Place in the scores of the language of a text in Latin script; that of English where the text does not decide. */
function bestOf(text: string, words: readonly string[]): number {
  const scores = new Array<number>(COUNT).fill(0);
  if (FOREIGN_LETTER.test(text)) addLetters(text.slice(0, CHARACTERS_READ).normalize('NFC'), scores);
  const end = Math.min(words.length, WORDS_READ);
  for (let at = 0; at < end; at++) {
    const pairs = weights.get(words[at] as string);
    if (!pairs) continue;
    for (let i = 0; i < pairs.length; i += 2) {
      const place = pairs[i] as number;
      scores[place] = (scores[place] as number) + (pairs[i + 1] as number);
    }
  }
  let best = ENGLISH;
  for (let place = 0; place < COUNT; place++) {
    if ((scores[place] as number) > (scores[best] as number)) best = place;
  }
  return (scores[best] as number) >= SCORE_MIN ? best : ENGLISH;
}

function languageOfScript(text: string): Language | 'latin' | undefined {
  const half = countOf(text, LETTERS) / 2;
  if (countOf(text, CYRILLIC) > half) return NOT_RUSSIAN.test(text) ? undefined : 'ru';
  if (countOf(text, GREEK) > half) return 'el';
  if (countOf(text, ARABIC) > half) return NOT_ARABIC.test(text) ? undefined : 'ar';
  return 'latin';
}

function addLetters(text: string, scores: number[]): void {
  for (const [letters, languages] of LETTERS_OF) {
    const count = Math.min(LETTERS_MAX, countOf(text, letters));
    if (count === 0) continue;
    for (const [language, weight] of languages) {
      const place = LATIN.indexOf(language);
      scores[place] = (scores[place] as number) + count * weight;
    }
  }
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

const functionWords = new Map<Language, ReadonlySet<string>>();

/** Words of a language that carry no meaning for a search. */
export function functionWordsOf(language: Language): ReadonlySet<string> {
  const known = functionWords.get(language);
  if (known) return known;
  const of = (FUNCTION_WORDS as Partial<Record<Language, FunctionWords>>)[language];
  const made = new Set(of ? [...of.sure.split(/\s+/), ...of.weak.split(/\s+/)] : []);
  functionWords.set(language, made);
  return made;
}
