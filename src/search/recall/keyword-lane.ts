import { MnemeError } from '../../memory/errors.ts';
import type { KeywordIndex, QueryTerm } from './keyword-index.ts';
import { SequenceScores } from './sequence-scores.ts';
import { WordMatches } from './word-matches.ts';

/**
 * Maximum matches that a query reads. Terms are read rarest first until the next one would exceed it, so a question
 * full of common words stays fast in a large namespace: the omitted terms have the least weight.
 */
const MATCHES_MAX = 6000;
/** The same where a filter is narrow: common words matter more there. */
export const FILTERED_MATCHES_MAX = 24_000;
/** Read however common they are. */
const TERMS_MIN = 2;
/** Read at most, for texts as long as a page. */
const TERMS_MAX = 32;

export interface KeywordMatches {
  /** BM25 by sequence: of a memory with passages, that of its best one. */
  readonly scores: SequenceScores;
  /** BM25 by slot. */
  readonly passages: SequenceScores;
  /** Terms looked up, rarest first, each with the sequences that have it. */
  readonly terms: readonly { readonly term: string; readonly sequences: ReadonlySet<number> }[];
}

/**
 * BM25 of every memory that has one of the rarest terms, with the idf of the namespace alone: ln(1 + (n - df + 0.5) /
 * (df + 0.5)), which stays positive in a namespace of three memories; a passage counts like a memory in it. `end` is
 * above every sequence; `into` and `intoPassages` are cleared and reused for the result.
 */
export function searchKeywords(
  index: KeywordIndex,
  namespace: { key: number; firstKey: number; size: number; end: number },
  terms: readonly QueryTerm[],
  options: { matchesMax?: number; explain: boolean; into?: SequenceScores; intoPassages?: SequenceScores },
): KeywordMatches {
  const rarest = terms
    .map((term) => new WordMatches(index, namespace.key, term))
    .filter(({ frequency }) => frequency > 0)
    .sort((a, b) => a.frequency - b.frequency || (a.term < b.term ? -1 : 1));
  const { into: scores = new SequenceScores(), intoPassages: passages = new SequenceScores() } = options;
  scores.clear(namespace.end);
  passages.clear(index.passages?.end);
  const found: { term: string; sequences: Set<number> }[] = [];
  const matchesMax = options.matchesMax ?? MATCHES_MAX;
  let read = 0;
  const size = namespace.size + (index.passages?.excess ?? 0);
  const idfOf = (frequency: number): number => Math.log(1 + Math.max(0, size - frequency + 0.5) / (frequency + 0.5));
  for (const word of rarest.slice(0, TERMS_MAX)) {
    const { term, frequency } = word;
    if (found.length >= TERMS_MIN && read + frequency > matchesMax) break;
    const idf = idfOf(frequency);
    const sequences = new Set<number>();
    word.matches((key, saturation) => {
      const sequence = key - namespace.firstKey;
      scores.add(sequence, idf * saturation);
      if (options.explain) sequences.add(sequence);
    });
    const { passages: slots } = index;
    if (slots) {
      word.matchesOfPassages(slots, (slot, saturation) => {
        passages.add(slot, idf * saturation);
        if (options.explain) sequences.add(slots.ownerOf(slot));
      });
    }
    found.push({ term, sequences });
    read += frequency;
  }
  for (const slot of passages.found) {
    const owner = index.passages?.ownerOf(slot) ?? 0;
    const gain = passages.get(slot) - scores.get(owner);
    if (gain > 0) scores.add(owner, gain);
  }
  return { scores, passages, terms: found };
}

/** More than any keyword score. */
const KEYWORD_MAX = 1e6;

export interface WordQuestion {
  readonly namespace: { readonly key: number; readonly firstKey: number; readonly end: number };
  readonly terms: readonly QueryTerm[];
  readonly explain: boolean;
  readonly deadlineAtMs: number;
}

/**
 * Counts how many of the words of a query each memory has. Every word is read, however common: a posting costs some
 * nanoseconds, a tenth of its BM25 computation. One instance serves one thread and reuses its buffers.
 */
export class WordCounts {
  private readonly counts = new SequenceScores();
  private readonly places = new SequenceScores();

  /** Counts again. A long text has the words of all its passages. With `explain`, returns the memories of each term. */
  read(index: KeywordIndex, { namespace, terms, explain, deadlineAtMs }: WordQuestion): KeywordMatches['terms'] {
    const { counts } = this;
    const { passages } = index;
    counts.clear(namespace.end);
    return terms.map((term) => {
      if (Date.now() >= deadlineAtMs)
        throw new MnemeError('DEADLINE_EXCEEDED', 'counting the words exceeded the deadline');
      const sequences = new Set<number>();
      const word = new WordMatches(index, namespace.key, term);
      const owners = new Set<number>();
      word.having((key) => {
        if (term.forms.length > 1) owners.add(key - namespace.firstKey);
        else counts.add(key - namespace.firstKey, 1);
        if (explain) sequences.add(key - namespace.firstKey);
      });
      if (passages) word.havingPassages(passages, (slot) => owners.add(passages.ownerOf(slot)));
      for (const owner of owners) {
        counts.add(owner, 1);
        if (explain) sequences.add(owner);
      }
      return { term: term.term, sequences };
    });
  }

  of(sequence: number): number {
    return this.counts.get(sequence);
  }

  /** Of every memory that has a word: the more words the greater, and with as many by the keyword score. */
  placed(keyword: SequenceScores): SequenceScores {
    const { counts, places } = this;
    places.clear(counts.values.length);
    for (const sequence of counts.found) {
      places.add(sequence, counts.get(sequence) * KEYWORD_MAX + keyword.get(sequence));
    }
    return places;
  }
}
