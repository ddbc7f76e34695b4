import { functionWordsOf, type Language, languageOf } from '../../memory/languages/languages.ts';
import { foreignFormsOf } from '../../memory/languages/terms.ts';
import { runsOf } from '../../memory/runs.ts';
import { firstAndLast, STOP_WORDS, stemOf, wordOf } from '../../memory/words.ts';

/** Inverted index of a store. Terms are those of `memory/languages/terms.ts`. */
export interface KeywordIndex {
  /** Absent where no long text is found by its passages. */
  readonly passages?: PassageKeywords;
  /** Mean number of stems of a memory, over all that the store has. */
  meanLength(): number;
  /** Languages other than English of which the namespace may have texts. */
  languages(namespaceKey: number): Iterable<Language>;
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

/** Maximum different words looked up: of a longer text the first and the last ones, where a question usually is. */
const WORDS_MAX = 256;

/** A word of a question. */
export interface QueryTerm {
  /** Its English stem, which names it. */
  readonly term: string;
  /** Terms of the index by which memories in any language have it; `term` is the first. */
  readonly forms: readonly string[];
}

export interface QueryTerms {
  /** Every word, to recognise names by. */
  readonly words: ReadonlySet<string>;
  /** Distinct words to search for; stop words only where there are no other words. */
  readonly terms: readonly QueryTerm[];
}

/** `languages` are those of the texts that are searched, besides English. */
export function queryTermsOf(text: string, languages: Iterable<Language> = []): QueryTerms {
  const runs = new Map(runsOf(text).map((run) => [wordOf(run), run]));
  runs.delete('');
  const words = [...runs.keys()];
  const language = languageOf(text, words);
  const functionWords = language ? functionWordsOf(language) : STOP_WORDS;
  const telling = words.filter((word) => !STOP_WORDS.has(word) && !functionWords.has(word));
  const chosen = firstAndLast(telling.length > 0 ? telling : words, WORDS_MAX);
  const spoken = [...languages];
  const terms = new Map<string, Set<string>>();
  for (const word of chosen) {
    const stem = stemOf(word);
    const forms = terms.get(stem) ?? new Set([stem]);
    terms.set(stem, forms);
    for (const form of foreignFormsOf(word, runs.get(word) ?? word, spoken)) forms.add(form);
  }
  return { words: new Set(words), terms: Array.from(terms, ([term, forms]) => ({ term, forms: [...forms] })) };
}
