import type { KeywordIndex } from './keyword-index.ts';
import { SequenceScores } from './sequence-scores.ts';

/**
 * Matches that a query may read. Terms are read rarest first until the next one would pass it, so a question full of
 * common words stays quick in a large namespace: what it leaves out weighs least.
 */
const MATCHES_MAX = 6000;
/** The same where a filter is narrow: common words matter more there. */
export const FILTERED_MATCHES_MAX = 24_000;
/** Read however common they are. */
const TERMS_MIN = 2;
/** Read at most, for texts as long as a page. */
const TERMS_MAX = 32;

export interface KeywordMatches {
  /** BM25 by sequence. */
  readonly scores: SequenceScores;
  /** Terms looked up, rarest first, each with the sequences that have it. */
  readonly terms: readonly { readonly term: string; readonly sequences: ReadonlySet<number> }[];
}

/**
 * BM25 of every memory that has one of the rarest terms, with the idf of the namespace alone:
 * ln(1 + (n - df + 0.5) / (df + 0.5)), which stays positive in a namespace of three memories. `end` is above every
 * sequence; `into` is cleared and lent to the answer.
 */
export function searchKeywords(
  index: KeywordIndex,
  namespace: { key: number; firstKey: number; size: number; end: number },
  terms: readonly string[],
  options: { matchesMax?: number; explain: boolean; into?: SequenceScores },
): KeywordMatches {
  const rarest = terms
    .map((term) => ({ term, frequency: index.documentFrequency(namespace.key, term) }))
    .filter(({ frequency }) => frequency > 0)
    .sort((a, b) => a.frequency - b.frequency || (a.term < b.term ? -1 : 1));
  const { into: scores = new SequenceScores() } = options;
  scores.clear(namespace.end);
  const found: { term: string; sequences: Set<number> }[] = [];
  const matchesMax = options.matchesMax ?? MATCHES_MAX;
  let read = 0;
  const idfOf = (frequency: number): number =>
    Math.log(1 + Math.max(0, namespace.size - frequency + 0.5) / (frequency + 0.5));
  for (const { term, frequency } of rarest.slice(0, TERMS_MAX)) {
    if (found.length >= TERMS_MIN && read + frequency > matchesMax) break;
    const idf = idfOf(frequency);
    const sequences = new Set<number>();
    index.matches(namespace.key, term, frequency, (key, saturation) => {
      const sequence = key - namespace.firstKey;
      scores.add(sequence, idf * saturation);
      if (options.explain) sequences.add(sequence);
    });
    found.push({ term, sequences });
    read += frequency;
  }
  return { scores, terms: found };
}
