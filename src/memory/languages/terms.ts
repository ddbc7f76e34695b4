import { createRequire } from 'node:module';
import { runsOf } from '../runs.ts';
import { STOP_WORDS, termsOf, termsOfWords, WORD_LENGTH_MAX, wordOf, wordsOf } from '../words.ts';
import { type Language, languageOf } from './languages.ts';

/** Names of the stemmers in `@orama/stemmers`, which the compiler of Snowball made. */
const STEMMERS: Readonly<Record<Language, string>> = {
  de: 'german',
  fr: 'french',
  es: 'spanish',
  pt: 'portuguese',
  it: 'italian',
  nl: 'dutch',
  sv: 'swedish',
  da: 'danish',
  no: 'norwegian',
  fi: 'finnish',
  hu: 'hungarian',
  ro: 'romanian',
  tr: 'turkish',
  ru: 'russian',
  el: 'greek',
  ar: 'arabic',
};
/** Begins the terms of languages other than English. Words have no such sign. */
export const FOREIGN_MARK = '_';
/** Two letters and a mark, behind the first mark. */
const LANGUAGE_LENGTH = 3;

type Stemmer = (word: string) => string;

/** Each is loaded with the first text of its language: most servers need none. */
const load = createRequire(import.meta.url);
const stemmers = new Map<Language, Stemmer>();

function stemmerOf(language: Language): Stemmer {
  const known = stemmers.get(language);
  if (known) return known;
  const { stemmer } = load(`@orama/stemmers/${STEMMERS[language]}`) as { readonly stemmer: Stemmer };
  stemmers.set(language, stemmer);
  return stemmer;
}

const WORDS_KEPT = 20_000;
const termsByWord = new Map<Language, Map<string, readonly string[]>>();

/**
 * Terms of the words of a text in a language, in reading order, repetitions included: `_de_katz`. A word with accents
 * has two where its stem without them is another one, so that it is found by a question that omits them.
 */
export function termsIn(language: Language, text: string): string[] {
  return runsOf(text).flatMap((run) => termsOfRun(language, run));
}

/** Terms of a memory: the stems of its text and of words about it (speaker, date), in the language of the text. */
export function indexTermsOf(text: string, about: string): { body: readonly string[]; meta: readonly string[] } {
  const words = wordsOf(text);
  const language = languageOf(text, words);
  if (language) return { body: termsIn(language, text), meta: termsIn(language, about) };
  return { body: termsOfWords(words), meta: termsOf(about) };
}

function termsOfRun(language: Language, run: string): readonly string[] {
  let known = termsByWord.get(language);
  if (!known || known.size >= WORDS_KEPT) {
    known = new Map();
    termsByWord.set(language, known);
  }
  const kept = known.get(run);
  if (kept) return kept;
  const word = wordOf(run);
  const terms = word === '' || STOP_WORDS.has(word) ? [] : formsIn(language, word, run);
  known.set(run, terms);
  return terms;
}

/** Terms that a word may have in a text of a language; `run` is the word with its accents. */
function formsIn(language: Language, word: string, run: string): string[] {
  const stem = stemmerOf(language);
  const formOf = (form: string): string => {
    const folded = wordOf(stem(form.slice(0, WORD_LENGTH_MAX)));
    return `${FOREIGN_MARK}${language}_${folded || word}`;
  };
  const bare = formOf(word);
  const own = run === word ? bare : formOf(run);
  return own === bare ? [bare] : [own, bare];
}

/**
 * Terms by which a word of a question is found in texts of the languages; `run` is the word with its accents. A memory
 * has terms of one language only.
 */
export function foreignFormsOf(word: string, run: string, languages: Iterable<Language>): string[] {
  const forms: string[] = [];
  for (const language of languages) {
    forms.push(...(STOP_WORDS.has(word) ? formsIn(language, word, run) : termsOfRun(language, run)));
  }
  return forms;
}

/** Language of a term; `undefined` for English stems, and those of texts of no known language. */
export function languageOfTerm(term: string): Language | undefined {
  if (!term.startsWith(FOREIGN_MARK)) return undefined;
  const language = term.slice(1, 3) as Language;
  return language in STEMMERS ? language : undefined;
}

/** Place of the first letter of a term, behind the mark of its language. */
export function initialOf(term: string): number {
  return term.startsWith(FOREIGN_MARK) ? FOREIGN_MARK.length + LANGUAGE_LENGTH : 0;
}
