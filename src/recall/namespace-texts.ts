import { spokenDate } from '../memory/spoken-date.ts';
import { termsOf } from '../memory/words.ts';
import type { KeywordIndex } from './keyword-index.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { RecallText } from './namespace-source.ts';
import type { RankedMemories } from './ranking/ranked-memories.ts';
import { TermIndex } from './term-index.ts';

/** What the texts of a namespace's memories are found and put in order by, kept in memory. */
export class NamespaceTexts {
  readonly ranked: RankedMemories;
  private readonly terms = new TermIndex();

  constructor(ranked: RankedMemories) {
    this.ranked = ranked;
  }

  /** Replaces what the memory had. Its columns must be there: who spoke and the day are words too. */
  put(sequence: number, { text, whole }: RecallText, columns: NamespaceColumns): void {
    this.ranked.put(sequence, text);
    const speaker = columns.speakers.nameOf(columns.speakerOf(sequence));
    const meta = `${speaker} ${spokenDate(columns.eventAtUs(sequence))}`;
    this.terms.put(sequence, [...termsOf(whole), ...termsOf(meta)]);
  }

  remove(sequence: number): void {
    this.ranked.remove(sequence);
    this.terms.remove(sequence);
  }

  /** The store's full-text index, as far as it is about this namespace, from memory. */
  keywords(store: KeywordIndex, firstKey: number): KeywordIndex {
    const { terms } = this;
    const meanLength = store.meanLength();
    return {
      meanLength: () => meanLength,
      documentFrequency: (_, term) => terms.frequency(term),
      matches: (_, term, _frequency, each) =>
        terms.matches(term, meanLength, (sequence, saturation) => each(firstKey + sequence, saturation)),
    };
  }

  get bytes(): number {
    return this.ranked.bytes + this.terms.bytes;
  }
}
