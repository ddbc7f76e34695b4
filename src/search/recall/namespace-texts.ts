import { foreignFormsOf, indexTermsOf } from '../../memory/languages/terms.ts';
import { passagesOf, type Span } from '../../memory/passages.ts';
import { spokenDate } from '../../memory/words.ts';
import type { Meanings } from '../ranking/meanings.ts';
import type { RankedMemories } from '../ranking/ranked-memories.ts';
import type { Vocabulary } from '../reading/other-spellings.ts';
import { CandidateGraph } from './candidate-graph.ts';
import type { BegunGraph } from './kept-graphs.ts';
import { ADOPTED_AT_ONCE, type KeptTexts, keptWords } from './kept-texts.ts';
import type { KeywordIndex } from './keyword-index.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { RecallText } from './namespace-source.ts';
import { PassageTexts, TermIndex } from './passage-texts.ts';

/** Nearness of a memory's text to a vector; `span` is the passage that is nearest, where the text is a long one. */
export interface TextNearness {
  readonly cosine: number;
  readonly span?: Span;
  /** Of the passage. */
  readonly slot?: number;
}

/**
 * Maximum ratio of the store's average text length to the namespace's for BM25: long texts elsewhere must not dominate
 * here.
 */
const STRETCH_MAX = 2;

/** In-memory search and ranking data for the texts of a namespace's memories; long texts by passage. */
export class NamespaceTexts {
  readonly ranked: RankedMemories;
  readonly passages: PassageTexts;
  /** By sequence, also of long texts; absent where there is no sentence encoder. */
  readonly meanings: Meanings | undefined;
  private readonly terms = new TermIndex();
  /** Of the vectors of texts that are whole, where there are many and they are searched. */
  graph: CandidateGraph | undefined;
  /** True once texts were searched by vector alone. */
  isSought = false;

  constructor(ranked: RankedMemories, meanings?: Meanings) {
    this.meanings = meanings;
    this.ranked = ranked;
    this.passages = new PassageTexts({ ranked, terms: this.terms });
  }

  /**
   * Replaces the texts of a memory. Its columns must exist: the speaker and the date are indexed as words too. Returns
   * the passages of a long text, which are not read yet: see `addPassage`.
   */
  put(sequence: number, { text, whole }: RecallText, columns: NamespaceColumns): readonly Span[] {
    this.graph?.change(sequence);
    this.passages.remove(sequence);
    this.meanings?.await(sequence);
    const spans = passagesOf(whole);
    if (spans.length > 1) {
      this.removeWhole(sequence);
      return spans;
    }
    this.ranked.put(sequence, text);
    const { body, meta } = indexTermsOf(whole, aboutOf(sequence, columns));
    this.terms.put(sequence, [...body, ...meta]);
    return [];
  }

  /** Reads the next passage of a long text. */
  addPassage(sequence: number, whole: string, span: Span, columns: NamespaceColumns): void {
    this.passages.add(sequence, whole, span, aboutOf(sequence, columns));
  }

  /** Takes over persisted analyses, in steps; only before the first `put`. The arrays are of no use to others afterwards. */
  *adopt(kept: KeptTexts): Generator<void> {
    this.terms.useNumbers(keptWords(kept));
    const whole = new Int32Array(kept.counts.length).fill(NO_TEXT);
    const passages = [NO_TEXT];
    let [text, span, meaning] = [0, 0, 0];
    for (let sequence = 0; sequence < kept.counts.length; sequence++) {
      const count = kept.counts[sequence] as number;
      const meaningEnd = meaning + (kept.meaningLengths[sequence] as number);
      if (meaningEnd > meaning) this.meanings?.putBytes(sequence, kept.meanings.subarray(meaning, meaningEnd));
      else if (count > 0) this.meanings?.await(sequence);
      meaning = meaningEnd;
      if (count === 1) whole[sequence] = text++;
      for (let left = count; count > 1 && left > 0; left--) {
        const [from = 0, end = 0] = kept.spans.subarray(span, span + 2);
        passages[this.passages.keep(sequence, { from, end })] = text++;
        span += 2;
      }
      if (sequence % ADOPTED_AT_ONCE === 0) yield;
    }
    yield* this.ranked.adopt(kept, whole);
    yield* this.terms.adopt(kept, whole);
    if (passages.length > 1) yield* this.passages.adopt(kept, Int32Array.from(passages));
    // The vectors are copied. Left to the garbage collector, their memory stays until the thread has much to do.
    const { buffer } = kept.vectors;
    if (buffer instanceof ArrayBuffer) buffer.transfer(0);
  }

  /**
   * A copy of the current state to persist; `end` is above every sequence. In steps, between which texts may change: of a
   * text that changes meanwhile it may have the former or the later state, so that the change log must follow from the
   * revision at the beginning.
   */
  *toKeep(end: number): Generator<KeptTexts> {
    for (let from = 0; from < end; from += KEPT_AT_ONCE)
      yield this.partToKeep(from, Math.min(end, from + KEPT_AT_ONCE));
    // Last, because the parts before refer to words by their numbers.
    yield { ...this.partToKeep(end, end), words: Buffer.from(this.terms.words().join('\n')) };
  }

  private partToKeep(from: number, end: number): KeptTexts {
    const counts = new Uint16Array(end - from);
    const spans: number[] = [];
    const texts: KeptPlace[] = [];
    for (let sequence = from; sequence < end; sequence++) {
      const slots = this.passages.slotsOf(sequence);
      for (const slot of slots) {
        const span = this.passages.spanOf(slot);
        spans.push(span.from, span.end);
        texts.push({ ranked: this.passages.ranked, terms: this.passages.terms, at: slot });
      }
      if (this.ranked.tokens.has(sequence)) texts.push({ ranked: this.ranked, terms: this.terms, at: sequence });
      counts[sequence - from] = slots.length > 0 ? slots.length : Number(this.ranked.tokens.has(sequence));
    }
    const kept = { ...keptOf(texts, this.ranked.vectors.dimensions), ...this.meaningsToKeep(from, end) };
    return { counts, spans: Uint32Array.from(spans), ...kept, words: NO_WORDS };
  }

  private meaningsToKeep(from: number, end: number) {
    const bytesAt = (at: number) => this.meanings?.bytesOf(from + at) ?? NO_MEANING;
    const meanings = Array.from({ length: end - from }, (_, at) => bytesAt(at));
    const meaningLengths = Uint32Array.from(meanings, ({ length }) => length);
    const all = new Int8Array(totalOf(meaningLengths));
    let at = 0;
    for (const meaning of meanings) {
      all.set(meaning, at);
      at += meaning.length;
    }
    return { meaningLengths, meanings: all };
  }

  /** Whether any text, speaker or date has a word, whose English stem is `stem`, in this or another form. */
  hasWord(stem: string, word = stem): boolean {
    const { passages, terms } = this;
    const isThere = (term: string): boolean =>
      terms.frequency(term) > 0 || (passages.size > 0 && passages.terms.frequency(term) > 0);
    return isThere(stem) || foreignFormsOf(word, word, terms.languages).some(isThere);
  }

  /** `textOf` is the whole text of a memory. */
  vocabulary(textOf: (sequence: number) => string, speakerNames: ReadonlySet<string>): Vocabulary {
    const { passages, terms, ranked, meanings } = this;
    const hasPassages = passages.size > 0;
    const passageAt = (slot: number): string => {
      const { from, end } = passages.spanOf(slot);
      return textOf(passages.ownerOf(slot)).slice(from, end);
    };
    return {
      terms: () => terms.known(),
      frequency: (term) => terms.frequency(term) + (hasPassages ? passages.terms.frequency(term) : 0),
      hasWord: (stem, word) => this.hasWord(stem, word),
      textsWith: (term) => [
        ...Array.from(terms.lastHaving(term, EXAMPLES), textOf),
        ...(hasPassages ? Array.from(passages.terms.lastHaving(term, EXAMPLES), passageAt) : []),
      ],
      textsWithInitials: (letters) => [
        ...terms.havingInitials(letters, EXAMPLES).map(textOf),
        ...(hasPassages ? passages.terms.havingInitials(letters, EXAMPLES).map(passageAt) : []),
      ],
      isWord: (word) => ranked.isWord(word) || meanings?.isWord(word) === true,
      isSpeaker: (word) => speakerNames.has(word),
    };
  }

  /** Puts vectors of texts below `end` into a graph for about `budgetMs`; false when there is no need or all are there. */
  growGraph(begin: () => BegunGraph | undefined, end: number, budgetMs: number): boolean {
    if (!this.isSought) return false;
    if (!this.graph) {
      const begun = begin();
      if (!begun) return false;
      this.graph = new CandidateGraph(begun, (sequence) => this.ranked.vectors.unitOf(sequence));
    }
    return this.graph.advance(end, budgetMs);
  }

  remove(sequence: number): void {
    this.graph?.change(sequence);
    this.passages.remove(sequence);
    this.meanings?.remove(sequence);
    this.removeWhole(sequence);
  }

  /** 0 for a memory without a vector. */
  nearness(sequence: number, asked: Float32Array): TextNearness {
    const slots = this.passages.slotsOf(sequence);
    if (slots.length === 0) return { cosine: this.ranked.vectors.cosine(sequence, asked) };
    let [cosine, best] = [0, -1];
    for (const slot of slots) {
      const near = this.passages.ranked.vectors.cosine(slot, asked);
      if (near !== 0 && (best < 0 || near > cosine)) [cosine, best] = [near, slot];
    }
    return best < 0 ? { cosine } : { cosine, span: this.passages.spanOf(best), slot: best };
  }

  /** `nearness` of each. */
  nearnesses(sequences: readonly number[], asked: Float32Array): TextNearness[] {
    const cosines = this.ranked.vectors.cosines(sequences, asked);
    const areWhole = this.passages.size === 0;
    return sequences.map((sequence, at) =>
      areWhole || !this.passages.has(sequence) ? { cosine: cosines[at] ?? 0 } : this.nearness(sequence, asked),
    );
  }

  /** The store's full-text index, as far as it is about this namespace, from memory: long texts by passage. */
  keywords(store: Pick<KeywordIndex, 'meanLength'>, firstKey: number): KeywordIndex {
    const { terms, passages } = this;
    const isWhole = passages.size === 0;
    const all = [terms.lengths, ...(isWhole ? [] : [passages.terms.lengths])];
    const [count, total] = all.reduce(([texts, stems], one) => [texts + one.count, stems + one.total], [0, 0]);
    const ownLength = total / Math.max(1, count);
    const meanLength = isWhole ? Math.min(store.meanLength(), STRETCH_MAX * ownLength) : ownLength;
    const ofAll = {
      meanLength: () => meanLength,
      languages: () => terms.languages,
      documentFrequency: (_: number, term: string) =>
        terms.frequency(term) + (isWhole ? 0 : passages.terms.frequency(term)),
      having: (_: number, term: string, each: (key: number) => void) =>
        terms.having(term, (sequence) => each(firstKey + sequence)),
      matches: (_: number, term: string, _frequency: number, each: (key: number, saturation: number) => void) =>
        terms.matches(term, meanLength, (sequence, saturation) => each(firstKey + sequence, saturation)),
    };
    if (isWhole) return ofAll;
    const keywords = {
      excess: passages.size - passages.memoryCount,
      end: passages.end,
      ownerOf: (slot: number) => passages.ownerOf(slot),
      having: (term: string, each: (slot: number) => void) => passages.terms.having(term, each),
      matches: (term: string, each: (slot: number, saturation: number) => void) =>
        passages.terms.matches(term, meanLength, each),
    };
    return { ...ofAll, passages: keywords };
  }

  get bytes(): number {
    return (
      this.ranked.bytes +
      this.terms.bytes +
      this.passages.bytes +
      (this.meanings?.bytes ?? 0) +
      (this.graph?.bytes ?? 0)
    );
  }

  private removeWhole(sequence: number): void {
    this.ranked.remove(sequence);
    this.terms.remove(sequence);
  }
}

/** Texts that are read for one term. */
const EXAMPLES = 4;
const NO_MEANING = new Int8Array();
const NO_WORDS = new Uint8Array();
/** Sequences copied between two looks at the clock: some 3 ms. */
const KEPT_AT_ONCE = 2048;
/** In the numbers of kept texts. */
const NO_TEXT = -1;

/** The speaker's name and the date, which are searched like words of the text. */
function aboutOf(sequence: number, columns: NamespaceColumns): string {
  const speaker = columns.speakers.nameOf(columns.speakerOf(sequence));
  return `${speaker} ${spokenDate(columns.eventAtUs(sequence))}`;
}

/** Where a text to be kept is. */
interface KeptPlace {
  readonly ranked: RankedMemories;
  readonly terms: TermIndex;
  readonly at: number;
}

function keptOf(texts: readonly KeptPlace[], dimensions: number) {
  const tokenCounts = Uint32Array.from(texts, ({ ranked, at }) => ranked.tokens.lengthOf(at));
  const termCounts = Uint32Array.from(texts, ({ terms, at }) => terms.numbersOf(at).length);
  const kept = {
    traits: Uint16Array.from(texts, ({ ranked, at }) => ranked.traitsOf(at)),
    tokenCounts,
    tokens: new Uint16Array(totalOf(tokenCounts)),
    vectors: new Int8Array(texts.length * dimensions),
    shrinks: Float32Array.from(texts, ({ ranked, at }) => ranked.vectors.shrinkOf(at)),
    termCounts,
    terms: new Uint32Array(totalOf(termCounts)),
  };
  let [tokenAt, termAt] = [0, 0];
  texts.forEach(({ ranked, terms, at }, place) => {
    kept.tokens.set(ranked.tokens.tokensOf(at), tokenAt);
    kept.terms.set(terms.numbersOf(at), termAt);
    if (ranked.vectors.shrinkOf(at) > 0) kept.vectors.set(ranked.vectors.bytesOf(at), place * dimensions);
    tokenAt += tokenCounts[place] ?? 0;
    termAt += termCounts[place] ?? 0;
  });
  return kept;
}

function totalOf(counts: Uint32Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
