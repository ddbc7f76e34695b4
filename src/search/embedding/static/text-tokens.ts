import { plainLetters, plainNumbers } from '../../../memory/plain-text.ts';
import { SHORT_SIGNED } from '../../../memory/runs.ts';
import { ordinalOf, stemOf, wordsOf } from '../../../memory/words.ts';
import { TOKENS_END, type TokenTable } from './token-table.ts';
import { RecentWords, WordPiece } from './word-piece.ts';

const ASCII_TEXT = /^\p{ASCII}*$/u;
const ASCII_WORD = /^[a-z0-9]+$/;
/** A word with a sign, as `runsOf` has them, or an ordinal in digits. */
const MAY_ADD = /[#+]|[.@][a-z]|-(?![a-z0-9])|\d(?:st|nd|rd|th)\b/i;
const SIGN = /[#+.@-]/;
/** Letters of which the vocabulary has no more than the alphabet, and emoji. */
const FOREIGN = /[[\p{L}--\p{sc=Latin}]\p{ExtPict}\p{RI}]/v;
const WORD = /[\p{L}\p{M}\p{N}\p{ExtPict}\p{RI}\u200d]+/gu;
const ENDS = /[。｡।॥]/gu;
const CHUNKS_KEPT = 8192;
const CHUNK_LENGTH_MAX = 64;

/**
 * Tokens of texts and questions for the learned order: WordPieces, and where the vocabulary does not have a word, one
 * token for its stem: of other scripts, emoji, words with signs. Such a token has no vector and no neighbours. Words are
 * those of `runsOf`.
 */
export class TextTokens {
  readonly unknown: number;
  readonly #pieces: WordPiece;
  /** The first token that is none of the vocabulary. */
  readonly #first: number;
  readonly #chunks = new RecentWords<readonly number[]>(CHUNKS_KEPT);

  constructor(table: TokenTable, pieces = new WordPiece(table)) {
    this.#pieces = pieces;
    this.#first = table.size;
    this.unknown = pieces.unknown;
  }

  encode(text: string): Uint16Array {
    const plain = plainNumbers(text);
    if (ASCII_TEXT.test(plain) && !MAY_ADD.test(plain)) return this.#pieces.encode(plain);
    const tokens: number[] = [];
    for (const chunk of plain.split(/\s+/u)) {
      if (ASCII_TEXT.test(chunk) && !MAY_ADD.test(chunk)) tokens.push(...this.#pieces.encode(chunk));
      else tokens.push(...this.#tokensOf(chunk));
    }
    return Uint16Array.from(tokens);
  }

  /** Tokens of words of `wordsOf`. */
  encodeWords(words: readonly string[]): Uint16Array {
    return Uint16Array.from(words.flatMap((word) => this.#tokensOfWord(word)));
  }

  #tokensOf(chunk: string): readonly number[] {
    if (chunk.length > CHUNK_LENGTH_MAX) return this.#read(chunk);
    const known = this.#chunks.get(chunk) ?? this.#read(chunk);
    this.#chunks.set(chunk, known);
    return known;
  }

  #read(chunk: string): readonly number[] {
    if (!FOREIGN.test(chunk)) {
      const pieces = this.#pieces.encode(plainLetters(chunk.toLowerCase()));
      const added = wordsOf(chunk).filter((word) => SIGN.test(word) || ordinalOf(word) !== undefined);
      const isInPieces = !pieces.includes(this.unknown) && !added.some((word) => SHORT_SIGNED.test(word));
      if (isInPieces) return [...pieces, ...added.flatMap((word) => this.#addedBy(word))];
    }
    const marks = chunk.normalize('NFKC').replace(WORD, '').replace(ENDS, '.').replaceAll('؟', '?');
    return [...this.encodeWords(wordsOf(chunk)), ...this.#pieces.encode(marks)];
  }

  #tokensOfWord(word: string): readonly number[] {
    if (SIGN.test(word)) return this.#addedBy(word);
    if (!FOREIGN.test(word)) {
      const pieces = this.#pieces.encode(word);
      if (!pieces.includes(this.unknown)) return [...pieces, ...(ASCII_WORD.test(word) ? this.#addedBy(word) : [])];
    }
    return [this.#tokenOf(word)];
  }

  /** What a word with a sign, or an ordinal, gives besides its pieces. */
  #addedBy(word: string): readonly number[] {
    if (SIGN.test(word)) return [this.#tokenOf(word)];
    const ordinal = ordinalOf(word);
    return ordinal === undefined ? [] : [...this.#pieces.encode(ordinal)];
  }

  /** Words that share a token by chance are rare: there are some 35,000. */
  #tokenOf(word: string): number {
    let hash = 0x811c9dc5;
    for (const unit of stemOf(word)) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
    return this.#first + ((hash >>> 0) % (TOKENS_END - this.#first));
  }
}
