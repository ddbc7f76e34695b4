import { MnemeError } from '../memory/errors.ts';
import type { KeywordIndex } from './keyword-index.ts';
import type { KeywordMatches } from './keyword-lane.ts';
import { SequenceScores } from './sequence-scores.ts';

/** More than any keyword score. */
const KEYWORD_MAX = 1e6;

export interface WordQuestion {
  readonly namespace: { readonly key: number; readonly firstKey: number; readonly end: number };
  readonly terms: readonly string[];
  readonly explain: boolean;
  readonly deadlineAtMs: number;
}

/**
 * How many of the words of a query each memory has. Every word is read, however common: a posting costs some nanoseconds,
 * a tenth of what its part of BM25 does. One instance serves one thread: it keeps its room.
 */
export class WordCounts {
  private readonly counts = new SequenceScores();
  private readonly places = new SequenceScores();

  /** Counts anew. A long text has the words of all its passages. Gives the memories of each term with `explain`. */
  read(index: KeywordIndex, { namespace, terms, explain, deadlineAtMs }: WordQuestion): KeywordMatches['terms'] {
    const { counts } = this;
    const { passages } = index;
    counts.clear(namespace.end);
    return terms.map((term) => {
      if (Date.now() >= deadlineAtMs) throw new MnemeError('DEADLINE_EXCEEDED', 'counting the words took too long');
      const sequences = new Set<number>();
      index.having(namespace.key, term, (key) => {
        counts.add(key - namespace.firstKey, 1);
        if (explain) sequences.add(key - namespace.firstKey);
      });
      const owners = new Set<number>();
      passages?.having(term, (slot) => owners.add(passages.ownerOf(slot)));
      for (const owner of owners) {
        counts.add(owner, 1);
        if (explain) sequences.add(owner);
      }
      return { term, sequences };
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
