import type { Micros } from '../../memory/memory.ts';
import type { Zone } from '../../memory/time/zone.ts';
import { firstAndLast, STOP_WORDS } from '../../memory/words.ts';
import type { TextTokens } from '../embedding/static/text-tokens.ts';
import type { SequenceScores } from '../recall/sequence-scores.ts';
import type { AskedAgreement } from './text-agreement.ts';
import type { TokenIndex } from './token-index.ts';

/** Which memories may be found. */
export interface Sought {
  /** Absent where every memory is. */
  readonly isAllowed?: (sequence: number) => boolean;
  /** All that may be allowed, where a filter leaves few. */
  readonly among?: ArrayLike<number>;
}

export interface Asked extends Sought {
  readonly text: string;
  readonly agreement: AskedAgreement;
  /** Instant that "yesterday" is counted from. */
  readonly nowUs: Micros;
  /** Its days are those of the question. */
  readonly zone: Zone;
  /** Hits that are wanted. */
  readonly limit: number;
  /** BM25 by sequence: of body and meta, and with session context. */
  readonly keyword: SequenceScores;
  /** BM25 of passages by slot. */
  readonly passages: SequenceScores;
  readonly context: SequenceScores;
  /** Words of speakers' names, and the speakers named in the question. */
  readonly names: ReadonlySet<string>;
  readonly named: ReadonlySet<number>;
  /** Memories of the times that the question names: candidates whatever their text. */
  readonly ofAskedTime: readonly number[];
  /** Memories that have the question word for word, or state what it asks for: candidates as well. */
  readonly found: readonly number[];
  /** Text of a memory, for vectors that are not made yet. Absent: none are made. */
  readonly textOf?: (sequence: number) => string;
}

export interface WeightedToken {
  readonly token: number;
  /** The token's idf in the namespace. */
  readonly weight: number;
}

/** More of a question's words are not matched softly: a question is short, and a page is not a question. */
const WORDS_MAX = 64;

/**
 * The words that are matched by meaning: without stop words and without the names of speakers, which other features
 * match and whose WordPieces resemble those of any other name. All words where no others remain.
 */
export function contentWordsOf(words: readonly string[], names: ReadonlySet<string>): string[] {
  const content = words.filter((word) => !STOP_WORDS.has(word) && !names.has(word));
  return firstAndLast([...new Set(content.length > 0 ? content : words)], WORDS_MAX);
}

export function weightedTokensOf(
  words: readonly string[],
  tokenizer: TextTokens,
  index: Pick<TokenIndex, 'frequency' | 'size'>,
): WeightedToken[] {
  const weighted: WeightedToken[] = [];
  for (const token of tokenizer.encodeWords(words)) {
    if (token === tokenizer.unknown) continue;
    weighted.push({ token, weight: idfOf(index.frequency(token), index.size) });
  }
  return weighted;
}

/** The idf of the keyword lane, ln(1 + (n - df + 0.5) / (df + 0.5)): never negative. */
export function idfOf(frequency: number, size: number): number {
  return Math.log(1 + Math.max(0, size - frequency + 0.5) / (frequency + 0.5));
}

const WHEN = /\b(when|what (date|day|month|year|time)|how long|how old)\b/i;

/** The answer is a time. */
export function asksWhen(text: string): boolean {
  return WHEN.test(text);
}
