import type { TextTokens } from '../embedding/static/text-tokens.ts';
import { TOKENS_END, type TokenTable } from '../embedding/static/token-table.ts';
import { isQuestion } from '../reading/read-statement.ts';
import type { TokenIndex, TokenSpans } from './token-index.ts';

/** Fewer words follow one another by chance. */
const WORDS_MIN = 5;
/** Tokens of a lone word that is not in the vocabulary: a number, a code or a rare name. */
const RARE_TOKENS_MIN = 3;
/** A page is not looked for as one phrase. */
const TOKENS_MAX = 64;
/** Maximum number of texts that one search compares: of more with its rarest token, those stored last. */
const COMPARED_MAX = 20_000;
/** Maximum number of texts that one search finds: those stored last. */
const FOUND_MAX = 100;

const WORD_START = 0;
const WORD_REST = 1;
/** Punctuation, on which no phrase depends. */
const MARK = 2;

/** Tokens of a text's words, in their order. */
export interface Phrase {
  readonly tokens: Uint16Array;
  readonly isQuestion: boolean;
}

/** Finds the texts that have all words of another one, one after the other. */
export class PhraseSearch {
  private readonly tokenizer: TextTokens;
  /** Of each token: begins a word, continues one, or is a mark. */
  private readonly kinds: Uint8Array;

  constructor(table: TokenTable, tokenizer: TextTokens) {
    this.tokenizer = tokenizer;
    this.kinds = new Uint8Array(TOKENS_END).fill(WORD_START);
    this.kinds.set(table.readVocabulary().map(kindOf));
  }

  /**
   * `undefined` for a text of fewer than five words that is not one rare word, of more than 64 tokens, or with a word that has no
   * token.
   */
  phraseOf(text: string): Phrase | undefined {
    const { kinds, tokenizer } = this;
    const tokens = tokenizer.encode(text).filter((token) => kinds[token] !== MARK);
    if (tokens.length > TOKENS_MAX || tokens.includes(tokenizer.unknown)) return undefined;
    const words = tokens.reduce((count, token) => count + Number(kinds[token] === WORD_START), 0);
    const isInPieces = /\p{N}/u.test(text) || tokens.some((token) => kinds[token] === WORD_REST);
    const isRareWord = tokens.length >= RARE_TOKENS_MIN && isInPieces && !/\s/.test(text.trim());
    return words < WORDS_MIN && !isRareWord ? undefined : { tokens, isQuestion: isQuestion(text) };
  }

  /** Places of the texts that have the phrase, last stored first; others than the allowed ones are not compared. */
  find({ tokens }: Phrase, index: TokenIndex, isAllowed?: (place: number) => boolean): number[] {
    let rarest = tokens[0] as number;
    for (const token of tokens) if (index.frequency(token) < index.frequency(rarest)) rarest = token;
    const found: number[] = [];
    const { spans } = index;
    const places = index.having(rarest);
    let compared = 0;
    for (let at = places.length - 1; at >= 0 && compared < COMPARED_MAX && found.length < FOUND_MAX; at--) {
      const place = places[at] as number;
      if (isAllowed?.(place) === false) continue;
      compared++;
      if (this.hasPhrase(spans, place, tokens)) found.push(place);
    }
    return found;
  }

  /** Whether the text has no other words. */
  isAll({ tokens }: Phrase, index: TokenIndex, place: number): boolean {
    const words = index.tokensOf(place).filter((token) => this.kinds[token] !== MARK);
    return words.length === tokens.length;
  }

  private hasPhrase({ pool, starts, lengths }: TokenSpans, place: number, tokens: Uint16Array): boolean {
    const start = starts[place] as number;
    const end = start + (lengths[place] as number);
    const first = tokens[0] as number;
    for (let at = start; at <= end - tokens.length; at++) {
      if (pool[at] === first && this.continues(pool, at, end, tokens)) return true;
    }
    return false;
  }

  private continues(pool: Uint16Array | Uint32Array, from: number, end: number, tokens: Uint16Array): boolean {
    const { kinds } = this;
    let matched = 0;
    for (let at = from; at < end; at++) {
      const token = pool[at] as number;
      if (kinds[token] === MARK) continue;
      // The last word must not be the beginning of a longer one.
      if (matched === tokens.length) return kinds[token] !== WORD_REST;
      if (token !== tokens[matched]) return false;
      matched++;
    }
    return matched === tokens.length;
  }
}

function kindOf(token: string): number {
  if (token.startsWith('##')) return WORD_REST;
  return /[\p{L}\p{N}]/u.test(token) ? WORD_START : MARK;
}
