import type { KeywordIndex, PassageKeywords, QueryTerm } from './keyword-index.ts';

interface Form {
  readonly term: string;
  readonly frequency: number;
}

type EachMatch = (at: number, saturation: number) => void;

/** The matches of a word of a question, in all forms that texts of the namespace have of it. */
export class WordMatches {
  /** Its English stem. */
  readonly term: string;
  /** Number of memories that have it; a memory with two of its forms counts twice. */
  readonly frequency: number;
  private readonly forms: readonly Form[];
  private readonly index: KeywordIndex;
  private readonly namespaceKey: number;

  constructor(index: KeywordIndex, namespaceKey: number, { term, forms }: QueryTerm) {
    this.term = term;
    this.index = index;
    this.namespaceKey = namespaceKey;
    this.forms = forms
      .map((form) => ({ term: form, frequency: index.documentFrequency(namespaceKey, form) }))
      .filter(({ frequency }) => frequency > 0);
    this.frequency = this.forms.reduce((sum, { frequency }) => sum + frequency, 0);
  }

  /** Calls `each` for every memory that has the word, or a passage with it; some may come twice. */
  having(each: (key: number) => void): void {
    for (const { term } of this.forms) this.index.having(this.namespaceKey, term, each);
  }

  /** The same for passages of long texts. */
  havingPassages(passages: PassageKeywords, each: (slot: number) => void): void {
    for (const { term } of this.forms) passages.having(term, each);
  }

  /** Calls `each` once for every memory that has the word, with the term-frequency part of BM25 of its best form. */
  matches(each: EachMatch): void {
    this.bestOf(({ term, frequency }, next) => this.index.matches(this.namespaceKey, term, frequency, next), each);
  }

  /** The same for passages of long texts. */
  matchesOfPassages(passages: PassageKeywords, each: EachMatch): void {
    this.bestOf(({ term }, next) => passages.matches(term, next), each);
  }

  private bestOf(read: (form: Form, next: EachMatch) => void, each: EachMatch): void {
    const [first, ...others] = this.forms;
    if (!first) return;
    if (others.length === 0) {
      read(first, each);
      return;
    }
    const best = new Map<number, number>();
    for (const form of this.forms) {
      read(form, (at, saturation) => {
        if (saturation > (best.get(at) ?? 0)) best.set(at, saturation);
      });
    }
    best.forEach((saturation, at) => {
      each(at, saturation);
    });
  }
}
