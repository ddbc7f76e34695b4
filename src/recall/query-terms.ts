import { STOP_WORDS, stemOf, wordsOf } from '../memory/words.ts';

/** Words that are looked up at most: of a longer text the first ones, which is what a person means by it. */
const WORDS_MAX = 256;

export interface QueryTerms {
  /** Every word, to recognise names by. */
  readonly words: ReadonlySet<string>;
  /** Stems to search for, without repetitions; stop words only where there is nothing else. */
  readonly terms: readonly string[];
}

export function queryTermsOf(text: string): QueryTerms {
  const words = wordsOf(text);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  const chosen = (telling.length > 0 ? telling : words).slice(0, WORDS_MAX);
  return { words: new Set(words), terms: [...new Set(chosen.map(stemOf))] };
}
