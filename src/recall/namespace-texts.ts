import { spokenDate } from '../memory/spoken-date.ts';
import { termsOf } from '../memory/words.ts';
import { KeptTextReader } from './kept-text-reader.ts';
import type { KeptText, KeptTexts } from './kept-texts.ts';
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

  /** Begins with what was kept of an earlier run; to be read on with `takeOver`. Only while there is nothing yet. */
  useKept(kept: KeptTexts): KeptTextReader {
    const reader = new KeptTextReader(kept, this.ranked.vectors.dimensions);
    this.terms.useNumbers(reader.words);
    return reader;
  }

  takeOver(sequence: number, text: KeptText): void {
    this.ranked.putKept(sequence, text);
    this.terms.putNumbers(sequence, text.terms);
  }

  /** All of it as it is now, to be kept; `end` is above every sequence. */
  toKeep(end: number): KeptTexts {
    const { tokens, vectors } = this.ranked;
    const sequences = Array.from({ length: end }, (_, sequence) => sequence);
    const present = Uint8Array.from(sequences, (sequence) => (tokens.has(sequence) ? 1 : 0));
    const tokenCounts = Uint32Array.from(sequences, (sequence) => tokens.lengthOf(sequence));
    const termCounts = Uint32Array.from(sequences, (sequence) => this.terms.numbersOf(sequence).length);
    const kept = {
      present,
      traits: Uint8Array.from(sequences, (sequence) => this.ranked.traitsOf(sequence)),
      tokenCounts,
      tokens: new Uint16Array(totalOf(tokenCounts)),
      vectors: new Int8Array(end * vectors.dimensions),
      shrinks: Float32Array.from(sequences, (sequence) => vectors.shrinkOf(sequence)),
      termCounts,
      terms: new Uint32Array(totalOf(termCounts)),
      words: Buffer.from(this.terms.words().join('\n')),
    };
    let [tokenAt, termAt] = [0, 0];
    for (const sequence of sequences) {
      kept.tokens.set(tokens.tokensOf(sequence), tokenAt);
      kept.terms.set(this.terms.numbersOf(sequence), termAt);
      if (vectors.shrinkOf(sequence) > 0) kept.vectors.set(vectors.bytesOf(sequence), sequence * vectors.dimensions);
      tokenAt += tokenCounts[sequence] ?? 0;
      termAt += termCounts[sequence] ?? 0;
    }
    return kept;
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

function totalOf(counts: Uint32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
