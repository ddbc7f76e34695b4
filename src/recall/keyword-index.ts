import { STOP_WORDS, stemOf, wordsOf } from '../memory/words.ts';

/** Inverted index of a store. Terms are stems of `memory/words.ts`. */
export interface KeywordIndex {
  /** Absent where no long text is found by its passages. */
  readonly passages?: PassageKeywords | undefined;
  /** Mean number of stems of a memory, over all that the store has. */
  meanLength(): number;
  /** Number of memories of the namespace that have the term. */
  documentFrequency(namespaceKey: number, term: string): number;
  /** Calls `each` for every memory of the namespace that has the term: a cheaper `matches` without scores. */
  having(namespaceKey: number, term: string, each: (key: number) => void): void;
  /**
   * Calls `each` for every memory of the namespace that has the term, with the term-frequency part of BM25 (k1 = 1.2, b
   * = 0.75; Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009), without idf. `frequency` is the
   * result of `documentFrequency`.
   */
  matches(namespaceKey: number, term: string, frequency: number, each: (key: number, saturation: number) => void): void;
}

/** The passages of long texts, which the index has in place of the texts. */
export interface PassageKeywords {
  /** By how much there are more passages than memories that have them. */
  readonly excess: number;
  /** All slots are less than this. */
  readonly end: number;
  /** Sequence of the memory that a passage is of. */
  ownerOf(slot: number): number;
  /** Calls `each` for every passage that has the term. */
  having(term: string, each: (slot: number) => void): void;
  /** Calls `each` for every passage that has the term, with the term-frequency part of BM25. */
  matches(term: string, each: (slot: number, saturation: number) => void): void;
}

/** Maximum words looked up: of a longer text the first ones, which usually carry its meaning. */
const WORDS_MAX = 256;

export interface QueryTerms {
  /** Every word, to recognise names by. */
  readonly words: ReadonlySet<string>;
  /** Distinct stems to search for; stop words only where there are no other words. */
  readonly terms: readonly string[];
}

export function queryTermsOf(text: string): QueryTerms {
  const words = wordsOf(text);
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  const chosen = (telling.length > 0 ? telling : words).slice(0, WORDS_MAX);
  return { words: new Set(words), terms: [...new Set(chosen.map(stemOf))] };
}
