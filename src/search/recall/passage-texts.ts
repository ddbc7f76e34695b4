import type { Language } from '../../memory/languages/languages.ts';
import { indexTermsOf, initialOf, languageOfTerm } from '../../memory/languages/terms.ts';
import type { Span } from '../../memory/passages.ts';
import type { RankedMemories } from '../ranking/ranked-memories.ts';
import { type Posting, TIMES_MAX, TokenIndex } from '../ranking/token-index.ts';
import { grown } from './grown.ts';
import { type KeptTexts, keptPool } from './kept-texts.ts';

const ROOM_AT_FIRST = 64;
const NONE = -1;

interface Texts {
  readonly ranked: RankedMemories;
  readonly terms: TermIndex;
}

/**
 * The passages of a namespace's long texts, each read as if it were a memory: a slot, with its tokens, its pooled vector
 * and its stems. Slots count from 1 and are used again. Some 2 KB a passage.
 */
export class PassageTexts {
  /** All slots in use are less than this. */
  end = 1;
  private owners = new Int32Array(ROOM_AT_FIRST);
  private froms = new Uint32Array(ROOM_AT_FIRST);
  private ends = new Uint32Array(ROOM_AT_FIRST);
  private previous = new Int32Array(ROOM_AT_FIRST);
  private following = new Int32Array(ROOM_AT_FIRST);
  /** By the memory's sequence, in the order of its text. */
  private readonly slots = new Map<number, number[]>();
  private readonly free: number[] = [];
  private readonly others: Texts;
  /** Made with the first passage: most namespaces have none. */
  private made: Texts | undefined;

  /** `others` are the same namespace's texts that are whole. */
  constructor(others: Texts) {
    this.others = others;
  }

  get ranked(): RankedMemories {
    return this.texts.ranked;
  }

  get terms(): TermIndex {
    return this.texts.terms;
  }

  /** Adds the next passage of a memory's text; `about` has words that all of its passages are found by. */
  add(sequence: number, text: string, span: Span, about: string): void {
    const slot = this.take(sequence, span);
    const passage = text.slice(span.from, span.end);
    this.ranked.put(slot, passage);
    const { body, meta } = indexTermsOf(passage, about);
    this.terms.put(slot, [...body, ...meta]);
  }

  /** A slot for a passage whose analysis `adopt` takes over. */
  keep(sequence: number, span: Span): number {
    return this.take(sequence, span);
  }

  /** Takes over persisted analyses, in steps; `texts` has the number of each slot's text, or -1. */
  *adopt(kept: KeptTexts, texts: Int32Array): Generator<void> {
    yield* this.ranked.adopt(kept, texts);
    yield* this.terms.adopt(kept, texts);
  }

  remove(sequence: number): void {
    for (const slot of this.slots.get(sequence) ?? []) {
      this.ranked.remove(slot);
      this.terms.remove(slot);
      this.previous[slot] = NONE;
      this.following[slot] = NONE;
      this.free.push(slot);
    }
    this.slots.delete(sequence);
  }

  /** Whether the memory's text is a long one of which at least one passage is read. */
  has(sequence: number): boolean {
    return this.slots.has(sequence);
  }

  /** Sequences of the memories that have passages. */
  longSequences(): Iterable<number> {
    return this.slots.keys();
  }

  /** In the order of the text. */
  slotsOf(sequence: number): readonly number[] {
    return this.slots.get(sequence) ?? [];
  }

  /** Sequence of the memory that a passage is of. */
  ownerOf(slot: number): number {
    return this.owners[slot] ?? NONE;
  }

  spanOf(slot: number): Span {
    return { from: this.froms[slot] ?? 0, end: this.ends[slot] ?? 0 };
  }

  /** Number of passages. */
  get size(): number {
    return this.end - 1 - this.free.length;
  }

  /** Number of memories that have them. */
  get memoryCount(): number {
    return this.slots.size;
  }

  /** The passage before and the one after each slot in its text, or -1; good until the next change. */
  get chains(): { readonly previous: Int32Array; readonly following: Int32Array } {
    return { previous: this.previous, following: this.following };
  }

  get bytes(): number {
    return (this.made ? this.ranked.bytes + this.terms.indexBytes : 0) + this.owners.length * 5 * 4;
  }

  private get texts(): Texts {
    this.made ??= { ranked: this.others.ranked.sibling(), terms: this.others.terms.sibling() };
    return this.made;
  }

  private take(sequence: number, { from, end }: Span): number {
    const slot = this.free.pop() ?? this.end++;
    if (slot >= this.owners.length) this.grow();
    const slots = this.slots.get(sequence) ?? [];
    const before = slots.at(-1) ?? NONE;
    this.owners[slot] = sequence;
    this.froms[slot] = from;
    this.ends[slot] = end;
    this.previous[slot] = before;
    this.following[slot] = NONE;
    if (before !== NONE) this.following[before] = slot;
    slots.push(slot);
    this.slots.set(sequence, slots);
    return slot;
  }

  private grow(): void {
    const capacity = this.owners.length * 2;
    this.owners = grown(this.owners, new Int32Array(capacity));
    this.froms = grown(this.froms, new Uint32Array(capacity));
    this.ends = grown(this.ends, new Uint32Array(capacity));
    this.previous = grown(this.previous, new Int32Array(capacity));
    this.following = grown(this.following, new Int32Array(capacity));
  }
}

/** k1 and b of BM25, and its formula, as in FTS5 (fts5_aux.c): both indexes give the same scores. */
const K1 = 1.2;
const B = 0.75;
const TERM_OVERHEAD_BYTES = 70;
const NOTHING: Posting = { sequences: new Uint32Array(0), times: undefined, count: 0 };

/**
 * The stems of every memory of a namespace, in both directions, in memory: the content of the store's full-text index
 * without a row of SQL for each match. Some 145 bytes a memory of 15 stems.
 */
export class TermIndex {
  /** Languages other than English of which there are, or have been, terms. */
  readonly languages: Set<Language>;
  private readonly numbers: Map<string, number>;
  private readonly terms = new TokenIndex({ wide: true, counted: true });
  /** Number of stems of all memories together. */
  private total = 0;

  constructor(numbers = new Map<string, number>(), languages = new Set<Language>()) {
    this.numbers = numbers;
    this.languages = languages;
  }

  /** An index of other texts whose terms have the same numbers. */
  sibling(): TermIndex {
    return new TermIndex(this.numbers, this.languages);
  }

  /** Replaces the stems of a memory. Repetitions count. */
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

  /** Takes over persisted stems, in steps; `texts` has the number of each sequence's text, or -1. */
  *adopt(kept: KeptTexts, texts: Int32Array): Generator<void> {
    yield* this.terms.adopt(keptPool(kept.terms, kept.termCounts), texts);
    for (let sequence = 1; sequence < texts.length; sequence++) this.total += this.terms.lengthOf(sequence);
  }

  /** A view that is good until the next change. */
  numbersOf(sequence: number): Uint32Array {
    return this.terms.tokensOf(sequence) as Uint32Array;
  }

  /** By their numbers. */
  words(): string[] {
    return [...this.numbers.keys()];
  }

  /** Terms of the texts that there are, or have been. */
  known(): Iterable<string> {
    return this.numbers.keys();
  }

  /** The last memories that have the term. */
  lastHaving(term: string, count: number): ArrayLike<number> {
    const number = this.numbers.get(term);
    return number === undefined ? [] : this.terms.having(number).slice(-count);
  }

  /** The first memories with terms that begin with these letters, one after the other. */
  havingInitials(letters: string, count: number): number[] {
    const codes = Uint16Array.from(letters, (letter) => letter.charCodeAt(0));
    const initials = Uint16Array.from(this.numbers.keys(), (term) => term.charCodeAt(initialOf(term)));
    const { pool, starts, lengths } = this.terms.spans;
    const found: number[] = [];
    for (let sequence = 0; sequence < lengths.length && found.length < count; sequence++) {
      const start = starts[sequence] as number;
      const end = start + (lengths[sequence] as number);
      for (let at = start; at + codes.length <= end; at++) {
        if (!codes.every((code, i) => initials[pool[at + i] as number] === code)) continue;
        found.push(sequence);
        break;
      }
    }
    return found;
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
    const { sequences, times, count } = this.terms.posting(number) ?? NOTHING;
    const { lengths } = this.terms.spans;
    for (let i = 0; i < count; i++) {
      const sequence = sequences[i] as number;
      const known = times?.[i] ?? TIMES_MAX;
      const often = known < TIMES_MAX ? known : this.terms.countIn(sequence, number);
      const length = lengths[sequence] as number;
      each(sequence, (often * (K1 + 1)) / (often + K1 * (1 - B + (B * length) / meanLength)));
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
    // A slice of a text retains the whole text in V8; a slice of this small joined string retains only that.
    this.numbers.set(`-${term}`.slice(1), number);
    const language = languageOfTerm(term);
    if (language) this.languages.add(language);
    return number;
  }
}
