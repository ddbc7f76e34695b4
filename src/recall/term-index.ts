import { TokenIndex } from './ranking/token-index.ts';

/** k1 and b of BM25, and its formula, as FTS5 has them (fts5_aux.c): what is read here scores as what is read there. */
const K1 = 1.2;
const B = 0.75;
const TERM_OVERHEAD_BYTES = 70;

/**
 * The stems of every memory of a namespace, both ways, in memory: what the store's full-text index knows, without a row
 * of SQL for each match. Some 130 bytes a memory of 15 stems.
 */
export class TermIndex {
  private readonly numbers: Map<string, number>;
  private readonly terms = new TokenIndex({ wide: true });
  /** Number of stems of all memories together. */
  private total = 0;

  constructor(numbers = new Map<string, number>()) {
    this.numbers = numbers;
  }

  /** An index of other texts whose terms have the same numbers. */
  sibling(): TermIndex {
    return new TermIndex(this.numbers);
  }

  /** Replaces what the memory had. Repetitions count. */
  put(sequence: number, terms: readonly string[]): void {
    this.putNumbers(
      sequence,
      Uint32Array.from(terms, (term) => this.numberOf(term)),
    );
  }

  /** The terms of `words`, each by its place there. Only before the first `put`. */
  useNumbers(words: readonly string[]): void {
    for (const word of words) this.numberOf(word);
  }

  putNumbers(sequence: number, numbers: Uint32Array): void {
    this.total += numbers.length - this.terms.lengthOf(sequence);
    this.terms.put(sequence, numbers);
  }

  /** A view that is good until the next change. */
  numbersOf(sequence: number): Uint32Array {
    return this.terms.tokensOf(sequence) as Uint32Array;
  }

  /** By their numbers. */
  words(): string[] {
    return [...this.numbers.keys()];
  }

  remove(sequence: number): void {
    this.total -= this.terms.lengthOf(sequence);
    this.terms.remove(sequence);
  }

  /** Number of texts, and of their stems. */
  get lengths(): { readonly count: number; readonly total: number } {
    return { count: this.terms.size, total: this.total };
  }

  /** Number of memories that have the term. */
  frequency(term: string): number {
    const number = this.numbers.get(term);
    return number === undefined ? 0 : this.terms.frequency(number);
  }

  /** Calls `each` for every memory that has the term. */
  having(term: string, each: (sequence: number) => void): void {
    const number = this.numbers.get(term);
    if (number !== undefined) this.terms.having(number).forEach(each);
  }

  /**
   * Calls `each` for every memory that has the term, with the term-frequency part of BM25. `meanLength` is the mean
   * number of stems of a memory.
   */
  matches(term: string, meanLength: number, each: (sequence: number, saturation: number) => void): void {
    const number = this.numbers.get(term);
    if (number === undefined) return;
    const sequences = this.terms.having(number);
    for (let i = 0; i < sequences.length; i++) {
      const sequence = sequences[i] as number;
      const count = this.terms.countIn(sequence, number);
      const length = this.terms.lengthOf(sequence);
      each(sequence, (count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / meanLength)));
    }
  }

  get bytes(): number {
    return this.indexBytes + this.numbers.size * TERM_OVERHEAD_BYTES;
  }

  /** Without the terms themselves. */
  get indexBytes(): number {
    return this.terms.bytes;
  }

  private numberOf(term: string): number {
    const known = this.numbers.get(term);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    // A slice of a text keeps the whole text alive in V8; a slice of this small joined string keeps only that.
    this.numbers.set(`-${term}`.slice(1), number);
    return number;
  }
}
