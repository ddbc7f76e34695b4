import type { Span } from '../../memory/passages.ts';
import type { NearPlace, NearTime } from '../../memory/place.ts';
import { UNKNOWN_RELEVANCE } from '../../memory/recall-settings.ts';
import type { ComparedState } from '../../memory/states/state.ts';
import { bestOf } from '../ranking/lane-scores.ts';
import type { LearnedHit } from '../ranking/learned-ranker.ts';
import { respelled } from '../reading/other-spellings.ts';
import { searchStates } from '../states/state-lane.ts';
import { withFurtherSteps } from './further-steps.ts';
import { type KeywordIndex, queryTermsOf } from './keyword-index.ts';
import { FILTERED_MATCHES_MAX, type KeywordMatches, searchKeywords } from './keyword-lane.ts';
import { type CandidateOptions, type KeywordBuffers, type Lanes, searchVectors } from './lanes.ts';
import type { NamespaceColumns } from './namespace-columns.ts';
import type { RecallText } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import { type Candidate, learnedValue, placeNearness, placesThatCount, scoreOf, timeNearness } from './rank.ts';
import type { Degradation, RecallLane, RecallQuery } from './recall-engine.ts';
import type { SequenceScores } from './sequence-scores.ts';

/** Candidates that the lanes give: enough for the fusion, and for a filter that refuses some, to see past the first page. */
const KEYWORD_CANDIDATES_MIN = 1000;
const NEAREST_CANDIDATES_MIN = 100;

/** The results of each lane for one query, computed when first needed. */
export class CandidateSearch implements Lanes {
  readonly candidates = new Map<number, Candidate>();
  readonly searched: RecallLane[] = [];
  readonly degraded: Degradation[] = [];
  terms: KeywordMatches['terms'] = [];
  private matches: KeywordMatches | undefined;
  /** Passages that the vector lane found memories by. */
  private readonly nearPassages = new Map<number, Span>();
  truncated = false;
  isShortened = false;
  leftBehind = 0;
  behind: readonly { readonly sequence: number }[] = [];
  isSettled = true;
  /** Words of the text, once it is known which memories have how many; 0 where that does not count. */
  private wordCount = 0;
  /** Relevance of the candidates that the learned order has scored, by sequence. */
  private relevances: ReadonlyMap<number, number> | undefined;
  private readonly state: NamespaceState;
  private readonly query: RecallQuery;
  private readonly options: CandidateOptions;

  constructor(state: NamespaceState, query: RecallQuery, options: CandidateOptions) {
    this.state = state;
    this.query = query;
    this.options = options;
  }

  /** `isAlone`: no other lane is asked. */
  byKeywords(keywords: KeywordIndex, isAlone: boolean): void {
    const { entry, texts } = this.state;
    const { buffers } = this.options;
    const index = texts?.keywords(keywords, entry.firstKey) ?? keywords;
    const text = this.spelledText();
    const { matches, terms, namespace } = this.matchesOf(text, index, buffers);
    this.terms = matches.terms;
    this.matches = matches;
    // The index of the store knows neither passages nor the length of texts in this namespace: it gives another order.
    if (!this.state.isTextRead) {
      this.degraded.push({ part: 'ranker', reason: 'the texts of the namespace are still being read' });
    }
    if (texts && !this.state.arePassagesRead) {
      this.degraded.push({ part: 'passages', reason: 'passages of long texts are still being read' });
    }
    if (this.query.weights.words) {
      const { explain, deadlineAtMs } = this.query;
      this.terms = buffers.words.read(index, { namespace, terms, explain, deadlineAtMs });
      this.wordCount = terms.length;
      this.placeBest(buffers.words.placed(buffers.context.totals), 0, 1);
      return;
    }
    const judged = this.isJudged ? this.learnedOrder(text, matches, index) : [];
    const learned = this.query.isLearned ? judged : [];
    const places = isAlone && !this.options.isFiltered ? placesThatCount(learned, this.query) : learned.length;
    let place = 0;
    for (const hit of learned.slice(0, places)) {
      const candidate = this.candidate(hit.sequence);
      candidate.keywordRank = ++place;
      candidate.learned = hit;
    }
    this.leftBehind = learned.length - place;
    this.behind = learned.slice(place);
    if (this.leftBehind > 0) return;
    const last = learned.at(-1);
    this.placeBest(buffers.context.totals, place, last ? learnedValue(last.score) : 1);
  }

  /** As the namespace writes it; the words of the preset `content` stay. */
  private spelledText(): string {
    const { text, weights } = this.query;
    const { texts, entry, columns } = this.state;
    if (!texts || weights.words) return text;
    const textOf = (sequence: number): string => this.options.source.text(entry.firstKey + sequence)?.whole ?? '';
    return respelled(text, texts.vocabulary(textOf, columns.speakers.nameWords()));
  }

  /** BM25 of a text, and with session context in the buffers. */
  private matchesOf(text: string, index: KeywordIndex, into: Omit<KeywordBuffers, 'words' | 'further'>) {
    const { entry, columns } = this.state;
    const namespace = { key: entry.key, firstKey: entry.firstKey, size: columns.size, end: columns.end };
    const { words, terms } = queryTermsOf(text, index.languages(entry.key));
    const matches = searchKeywords(index, namespace, terms, {
      explain: this.query.explain,
      into: into.scores,
      intoPassages: into.passages,
      matchesMax: this.options.narrowed?.few && FILTERED_MATCHES_MAX,
    });
    const named = columns.speakers.named(words);
    into.context.read({ scores: matches.scores, columns, named, weight: this.query.weights.session });
    return { matches, terms, namespace };
  }

  /** The words of a state alone are no question: neither order nor relevance depends on the learned order. */
  private get isJudged(): boolean {
    return this.query.isLearned || !this.query.state;
  }

  /** The best by their scores, behind so many that have a place; `placeShare` as in `Candidate`. */
  private placeBest(scores: SequenceScores, placesBefore: number, placeShare: number): void {
    const wanted = Math.max(KEYWORD_CANDIDATES_MIN, 4 * this.query.limit) * this.options.widening;
    // One more than wanted, to see whether there are more.
    const best = bestOf(scores, wanted + 1, this.allowing(), this.options.narrowed?.few);
    let place = placesBefore;
    this.truncated ||= best.length > wanted;
    for (const sequence of best.slice(0, wanted)) {
      const candidate = this.candidate(sequence);
      if (candidate.learned) continue;
      candidate.keywordRank = ++place;
      candidate.placeShare = placeShare;
      if (this.query.explain) candidate.surroundings = this.options.buffers.context.partsOf(sequence);
    }
  }

  /** The best of all ways of finding by words, in the learned order, and how relevant each is. */
  private learnedOrder(asked: string, matches: KeywordMatches, keywords: KeywordIndex): readonly LearnedHit[] {
    const { columns, texts } = this.state;
    const { learned } = this.options;
    if (!learned || !texts) return [];
    const { source } = this.options;
    const { firstKey } = this.state.entry;
    // The ranker and each adjustment look at the same few texts.
    const read = new Map<number, RecallText | undefined>();
    const readText = (sequence: number): RecallText | undefined => {
      if (!read.has(sequence)) read.set(sequence, source.text(firstKey + sequence));
      return read.get(sequence);
    };
    let isBeingRead = false;
    const order = (text: string, found: KeywordMatches, context: SequenceScores): readonly LearnedHit[] => {
      const ordered = learned.order({
        ...this.query,
        text,
        matches: found,
        context,
        columns,
        memories: texts,
        isAllowed: this.allowing(),
        among: this.options.narrowed?.few,
        textOf: (sequence, passage) => {
          const { text: own = '', whole = '' } = readText(sequence) ?? {};
          return passage ? whole.slice(passage.from, passage.end) : own;
        },
      });
      this.isSettled &&= ordered.isSettled;
      isBeingRead ||= ordered.isBeingRead;
      return ordered.hits;
    };
    const first = order(asked, matches, this.options.buffers.context.totals);
    const tell = (sequence: number): string => readText(sequence)?.text ?? '';
    const hits = withFurtherSteps(asked, first, tell, (text) => {
      const further = this.matchesOf(text, keywords, this.options.buffers.further);
      return order(text, further.matches, this.options.buffers.further.context.totals);
    });
    if (isBeingRead && this.query.isLearned) {
      this.degraded.push({ part: 'encoder', reason: 'the sentence encoder is still reading the texts' });
    }
    this.relevances = new Map(hits.map(({ sequence, relevance }) => [sequence, relevance]));
    return hits;
  }

  relevanceOf(candidate: Candidate): number {
    const learned = this.relevances ? (this.relevances.get(candidate.sequence) ?? 0) : UNKNOWN_RELEVANCE;
    const text = this.wordCount > 0 ? (candidate.words ?? 0) / this.wordCount : learned;
    return relevanceOf(candidate, this.state.columns, this.query, text);
  }

  /** The one in the learned order, else the one with most of the words, else the one whose vector is nearest. */
  passageOf(sequence: number): Span | undefined {
    const passages = this.state.texts?.passages;
    if (!passages?.has(sequence)) return undefined;
    const learned = this.candidates.get(sequence)?.learned?.slot ?? -1;
    if (learned >= 0) return passages.spanOf(learned);
    let best = -1;
    for (const slot of passages.slotsOf(sequence)) {
      const score = this.matches?.passages.get(slot) ?? 0;
      if (score > (best < 0 ? 0 : (this.matches?.passages.get(best) ?? 0))) best = slot;
    }
    return best < 0 ? this.nearPassages.get(sequence) : passages.spanOf(best);
  }

  /**
   * True when the engine computed the vector from the text: the vector is then one of the features of the learned
   * order.
   */
  get isInLearnedOrder(): boolean {
    return (
      this.query.embedText === true &&
      this.query.isLearned &&
      this.options.learned !== undefined &&
      this.state.texts !== undefined
    );
  }

  byVector(): void {
    const { firstKey } = this.state.entry;
    const isAllowed = (sequence: number): boolean => this.isAllowed(sequence);
    const { neighbors, truncated, leftBehind = 0 } = searchVectors(this.state, this.query, this.options, isAllowed);
    this.truncated ||= truncated;
    this.isShortened = leftBehind > 0;
    this.leftBehind += leftBehind;
    neighbors.forEach(({ key, similarity, passage }, place) => {
      if (similarity < (this.query.minSimilarity ?? -1)) return;
      const candidate = this.candidate(key - firstKey);
      candidate.vectorRank = place + 1;
      candidate.similarity = similarity;
      if (passage) this.nearPassages.set(key - firstKey, passage);
    });
  }

  /** In place of `byVector`: texts of the state count by their vectors. */
  byState(asked: ComparedState): void {
    const { firstKey } = this.state.entry;
    const isAllowed = (sequence: number): boolean => this.isAllowed(sequence);
    const searched = { asked, isAllowed, scoreBeside: (sequence: number) => this.scoreWithout(sequence) };
    const { matches, truncated } = searchStates(this.state, this.query, this.options, searched);
    this.truncated ||= truncated;
    matches.forEach(({ key, similarity, passage }, place) => {
      this.candidate(key - firstKey).state = { similarity, rank: place + 1 };
      if (passage) this.nearPassages.set(key - firstKey, passage);
    });
  }

  /** Score of a memory by all but its state. */
  private scoreWithout(sequence: number): number {
    const found = this.candidates.get(sequence) ?? { sequence, keywordRank: 0, vectorRank: 0, similarity: 0 };
    return scoreOf(found, this.state.columns, this.query);
  }

  byTime(near: NearTime): void {
    const { columns, entry } = this.state;
    const nearest = this.nearest(
      (limit) => this.options.source.nearestMoments(entry, near, limit),
      (sequence) => timeNearness(columns, sequence, near),
    );
    nearest.forEach((sequence, place) => {
      this.candidate(sequence).timeRank = place + 1;
    });
  }

  byPlace(near: NearPlace): void {
    const { columns, entry } = this.state;
    const nearest = this.nearest(
      (limit) => this.options.source.nearestPlaces(entry, near, limit),
      (sequence) => placeNearness(columns, sequence, near),
      near.kind === 'named',
    );
    nearest.forEach((sequence, place) => {
      this.candidate(sequence).placeRank = place + 1;
    });
  }

  /**
   * Nearest first: exact over the few memories that a filter admits, otherwise through the index. Ties by storage
   * order, or its reverse.
   */
  private nearest(
    byIndex: (limit: number) => number[],
    nearnessOf: (sequence: number) => number,
    isNewestFirst = false,
  ): number[] {
    const { firstKey } = this.state.entry;
    const { narrowed, widening } = this.options;
    const few = narrowed?.few;
    const limit = Math.max(NEAREST_CANDIDATES_MIN, 4 * this.query.limit) * widening;
    if (!few) {
      const keys = byIndex(limit);
      this.truncated ||= keys.length >= limit;
      return keys.map((key) => key - firstKey).filter((sequence) => this.isAllowed(sequence));
    }
    const near: { readonly sequence: number; readonly nearness: number }[] = [];
    for (const sequence of few) {
      const nearness = this.isAllowed(sequence) ? nearnessOf(sequence) : 0;
      if (nearness > 0) near.push({ sequence, nearness });
    }
    this.truncated ||= near.length > limit;
    const direction = isNewestFirst ? -1 : 1;
    near.sort((a, b) => b.nearness - a.nearness || direction * (a.sequence - b.sequence));
    return near.slice(0, limit).map(({ sequence }) => sequence);
  }

  byFilter(): void {
    const { columns } = this.state;
    if (this.options.narrowed) {
      for (const sequence of this.options.narrowed.sequences) if (this.isAllowed(sequence)) this.candidate(sequence);
      return;
    }
    for (let sequence = 1; sequence < columns.end; sequence++) if (this.isAllowed(sequence)) this.candidate(sequence);
  }

  /** True when every memory of the namespace may be returned, as far as is known without reading it. */
  private get isOpen(): boolean {
    const isOfThen = typeof this.query.validity === 'object';
    return (
      !this.options.narrowed && this.options.excludedKey === undefined && !isOfThen && !this.state.columns.hasHidden
    );
  }

  private allowing(): ((sequence: number) => boolean) | undefined {
    return this.isOpen ? undefined : (sequence) => this.isAllowed(sequence);
  }

  private isAllowed(sequence: number): boolean {
    const { columns, entry } = this.state;
    const { excludedKey, narrowed } = this.options;
    return (
      narrowed?.has(sequence) !== false &&
      columns.isCandidate(sequence, this.query) &&
      entry.firstKey + sequence !== excludedKey
    );
  }

  private candidate(sequence: number): Candidate {
    let candidate = this.candidates.get(sequence);
    if (!candidate) {
      const words = this.wordCount > 0 ? { words: this.options.buffers.words.of(sequence) } : {};
      candidate = { sequence, keywordRank: 0, vectorRank: 0, similarity: 0, ...words };
      this.candidates.set(sequence, candidate);
    }
    return candidate;
  }
}

type Cues = Pick<RecallQuery, 'text' | 'embedding' | 'state' | 'nearTime' | 'nearPlace' | 'weights'> &
  Partial<Pick<RecallQuery, 'isLearned'>>;

/**
 * Relevance of a candidate to the query. To a text: `toText`, the learned probability. To a vector of the request,
 * whose model is unknown: its cosine, which is comparable among the hits of one model only. To a state: its
 * similarity. To a time or a place: its nearness. A filter alone requires only admission: 1.
 */
export function relevanceOf(candidate: Candidate, columns: NamespaceColumns, query: Cues, toText: number): number {
  const { text, embedding, state, isLearned = false, nearTime, nearPlace, weights } = query;
  const cosine = candidate.vectorRank > 0 ? Math.min(1, Math.max(0, candidate.similarity)) : 0;
  const similarity = Math.max(cosine, candidate.state?.similarity ?? 0);
  // The words of a state alone are no question.
  if (state && !isLearned) return similarity;
  if (text !== '' && weights.keyword > 0) return Math.max(toText, similarity);
  if (embedding || state || text !== '') return similarity;
  const near = Math.max(
    nearTime && (weights.time ?? 0) > 0 ? timeNearness(columns, candidate.sequence, nearTime) : 0,
    nearPlace && (weights.place ?? 0) > 0 ? placeNearness(columns, candidate.sequence, nearPlace) : 0,
  );
  return nearTime || nearPlace ? Math.min(1, near) : 1;
}
