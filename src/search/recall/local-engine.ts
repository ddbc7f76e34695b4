import { MnemeError } from '../../memory/errors.ts';
import { admits } from '../../memory/evaluate-filter.ts';
import { type Filter, scopedFilter } from '../../memory/filter.ts';
import type { Micros } from '../../memory/memory.ts';
import type { Span } from '../../memory/passages.ts';
import { namesTime } from '../../memory/time/time-expressions.ts';
import type { InstantEmbedder } from '../embedding/embedder.ts';
import type { FilterSet } from '../filtering/filter-set.ts';
import { selectMemories } from '../filtering/select-memories.ts';
import { firstExpiryUs } from '../standing/first-expiry.ts';
import { comparedStateOf, readStates } from '../states/state-lane.ts';
import type { Neighbor } from '../vectors/vector-index.ts';
import { CandidateSearch } from './candidate-search.ts';
import { checkVector } from './check-vector.ts';
import { withDamage } from './damaged-store.ts';
import { type Diverse, diversified, likenessIn, spreadComponents, withPool } from './diversity.ts';
import { EqualHits } from './equal-hits.ts';
import { HitReader } from './hit-reader.ts';
import type { KeywordIndex } from './keyword-index.ts';
import { WordCounts } from './keyword-lane.ts';
import type { CandidateOptions, Lanes } from './lanes.ts';
import type { LearnedLane } from './learned-lane.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import { NamespaceStates, type StatesOptions } from './namespace-states.ts';
import { ownVectorOf } from './own-vector.ts';
import { componentsOf, nextTickUs, type Ranked, ranked, TierQuota } from './rank.ts';
import type {
  Degradation,
  EncodeHits,
  FoundPassage,
  RecallLane,
  RecallQuery,
  RecallResult,
  ScoredHit,
  VectorIndexState,
} from './recall-engine.ts';
import { searchScored } from './scored-search.ts';
import { remembered, type SearchProgress } from './search-progress.ts';
import { SequenceScores } from './sequence-scores.ts';
import { SessionContext } from './session-context.ts';

/** Factor by which the candidate count grows when a filter refuses too many. */
const WIDEN_BY = 16;

interface Choosing {
  readonly state: NamespaceState;
  readonly lanes: Lanes;
  readonly query: RecallQuery;
  /** Absent where every candidate is admitted. */
  readonly filter: Filter | undefined;
  readonly progress: SearchProgress | undefined;
  /** Hits that the caller wants: with diversity `query` asks for more. */
  readonly shownMax: number;
}

interface SearchOptions {
  readonly nearTo?: (state: NamespaceState) => readonly Neighbor[] | undefined;
  readonly progress?: SearchProgress;
}

interface Searching {
  readonly near: readonly Neighbor[] | undefined;
  readonly hitReader: HitReader;
  readonly progress: SearchProgress | undefined;
}

interface Choice {
  readonly chosen: Ranked[];
  /** How many the filter refused on the way, were equal to a hit, or of its session. */
  readonly refused: number;
  /** See `RecallResult.lowRelevanceCount`. */
  readonly lowCount: number;
  /** Absent where equal memories are hits of their own. */
  readonly equals: EqualHits | undefined;
}

interface Found {
  readonly chosen: readonly Diverse[];
  readonly lowCount: number;
  readonly equals: EqualHits | undefined;
  readonly lanes: Lanes;
  readonly degraded: readonly Degradation[];
}

/** Recall inside one thread, on one connection to the store. Synchronous: the thread serves one query at a time. */
export class LocalEngine {
  readonly states: NamespaceStates;
  protected readonly source: NamespaceSource;
  private readonly keywords: KeywordIndex;
  /** Called for every failure of a lane, with the name of the part. */
  private readonly onFault: (part: string, error: unknown) => void;

  private readonly buffers = {
    scores: new SequenceScores(),
    passages: new SequenceScores(),
    context: new SessionContext(),
    words: new WordCounts(),
    further: { scores: new SequenceScores(), passages: new SequenceScores(), context: new SessionContext() },
  };
  private readonly texts: InstantEmbedder | undefined;
  private readonly learned: LearnedLane | undefined;
  private readonly encodeHits: EncodeHits | undefined;

  constructor(
    options: StatesOptions & {
      keywords: KeywordIndex;
      onFault: (part: string, error: unknown) => void;
      /** Makes vectors of the texts of queries. */
      texts?: InstantEmbedder;
      /** The order that was learned; without it lanes are fused by rank. */
      learned?: LearnedLane;
      /** Encodes hits where a query permits it; absent: hits are never encoded. */
      encodeHits?: EncodeHits;
    },
  ) {
    const { texts, learned } = options;
    this.encodeHits = options.encodeHits;
    this.texts = texts;
    this.learned = learned;
    this.states = new NamespaceStates(options);
    this.source = options.source;
    this.keywords = options.keywords;
    this.onFault = options.onFault;
  }

  /**
   * `nearTo` returns all memories above the similarity threshold, nearest first, where they are known. With `progress`,
   * throws `SearchInterrupted` when it has looked at single memories for a slice of time.
   */
  search(query: RecallQuery, { nearTo, progress }: SearchOptions = {}): RecallResult {
    this.source.begin();
    try {
      // Nearness is known: words do not matter to such a query, and need not be read.
      const state = nearTo
        ? this.states.open(query.namespace, false)
        : this.states.attend(query.namespace, query.text !== '');
      if (nearTo) checkVector(state, query);
      const near = nearTo?.(state);
      const hitReader = new HitReader(this.source, state.entry, query);
      progress?.begin(state, this.source);
      const results = this.searchIn(state, query, { near, hitReader, progress });
      const found = hitReader.withMemories(results, this.encodeHits);
      const result = withDamage(this.source, state.entry, found);
      const nearExpiresAtUs = near ? firstExpiryUs(state, near, query.nowUs) : Number.POSITIVE_INFINITY;
      const nextValidAtUs = state.nextStart.afterUs(query.nowUs);
      return {
        ...result,
        ...(nearExpiresAtUs < Number.POSITIVE_INFINITY && { nearExpiresAtUs }),
        ...(nextValidAtUs < Number.POSITIVE_INFINITY && { nextValidAtUs }),
      };
    } finally {
      this.source.end();
    }
  }

  indexStates(): VectorIndexState[] {
    return [...this.states.all()].flatMap(({ entry, index, revision }) =>
      index ? [{ namespace: entry.name, vectorCount: index.size, exactCount: index.exactCount, revision }] : [],
    );
  }

  private searchIn(state: NamespaceState, query: RecallQuery, { near, hitReader, progress }: Searching): RecallResult {
    const { degraded: unread, textVector } = ownVectorOf(state, query, this.texts, this.source);
    const degraded = [...unread, ...readStates(state, query, this.source)];
    checkVector(state, query);
    const filter = scopedFilter(query);
    const selected = filter && this.selected(state, filter);
    const untested = selected?.isExact ? undefined : filter;
    // A filter that admits every memory is none.
    const narrowed = untested || selected?.count !== state.columns.size ? selected : undefined;
    if (query.scoring) {
      const around = (sequence: number, step: 1 | -1) => this.around(state, query, sequence, step, hitReader);
      const scored = {
        state,
        source: this.source,
        hitReader,
        query,
        scoring: query.scoring,
        filter: untested,
        narrowed,
        around,
        progress,
      };
      return { ...searchScored(scored), untilUs: state.nextTurn.afterUs(query.nowUs) };
    }
    const excludedKey = query.excludeId === undefined ? undefined : this.source.keyOf(state.entry, query.excludeId);
    let isWhole = query.isPerTier === true;
    for (let widening = 1; ; widening *= WIDEN_BY) {
      const { source, buffers, onFault, learned } = this;
      const ownText = this.texts && textVector && { asked: textVector, texts: this.texts };
      const isFiltered = untested !== undefined || isWhole;
      const places = { widening, isWhole };
      const options = {
        narrowed,
        isFiltered,
        excludedKey,
        ...places,
        learned,
        ownText,
        source,
        buffers,
        near,
        onFault,
      };
      const pooling = withPool(query);
      const lanes = findCandidates(state, pooling, this.keywords, options);
      const order = ranked(lanes.candidates.values(), state.columns, query);
      const choosing = { state, lanes, query: pooling, filter: untested, progress, shownMax: query.limit };
      const { chosen, refused, lowCount, equals } = this.choose(order, choosing);
      // A refused hit makes room for one that was left out.
      if (refused > 0 && lanes.leftBehind > 0 && !isWhole) {
        isWhole = true;
        widening /= WIDEN_BY;
        continue;
      }
      const isComplete = chosen.length + lowCount >= pooling.limit || refused === 0 || !lanes.truncated;
      const hits = isComplete ? diversified(chosen, query, likenessIn(state, source)) : [];
      if (isComplete) {
        const found = { chosen: hits, lowCount, equals, lanes, degraded: [...degraded, ...lanes.degraded] };
        return this.answer(found, state, query, hitReader);
      }
    }
  }

  /**
   * The best candidates that the filter admits: the evaluator decides on each, whatever an index returned. Of equal
   * memories the best. Less relevant ones take the places that they would have, and are counted instead.
   */
  private choose(order: Ranked[], { state, lanes, query, filter, progress, shownMax }: Choosing): Choice {
    const chosen: Ranked[] = [];
    let [refused, lowCount] = [0, 0];
    const quota = query.isPerTier ? new TierQuota(query.limit) : undefined;
    const equalsOf = () =>
      query.isOncePerText && !comparedStateOf(query) ? new EqualHits(state, this.source) : undefined;
    const [equals, lowEquals] = [equalsOf(), equalsOf()];
    const sessions = query.isOncePerSession ? new Set<number>() : undefined;
    for (const hit of order) {
      const isFull = quota ? quota.isUsedUp : chosen.length >= query.limit;
      if (isFull && !equals) break;
      if (query.minScore !== undefined && hit.score < query.minScore) break;
      const isLow = query.minRelevance !== undefined && lanes.relevanceOf(hit.candidate) < query.minRelevance;
      const { sequence } = hit.candidate;
      const tier = quota && !isFull ? this.source.tierOf(state.entry.firstKey + sequence) : undefined;
      const isLeftOut = isLow && chosen.length + lowCount >= shownMax;
      const isBehind = isFull || isLeftOut || (tier !== undefined && quota?.isUsedUpFor(tier) === true);
      if (isBehind && !equals?.isAlikeAny(sequence)) continue;
      if (filter && !remembered(sequence, progress, () => this.isAdmitted(state, sequence, filter))) {
        if (!isBehind && ++refused % 256 === 0) checkDeadline(query);
        continue;
      }
      if (equals?.counts(sequence) || (isLow && !isBehind && lowEquals?.counts(sequence))) {
        if (!isBehind) refused++;
        continue;
      }
      if (isBehind) continue;
      const session = state.columns.sessionOf(sequence);
      if (sessions?.has(session)) {
        refused++;
        continue;
      }
      if (isLow) {
        lowEquals?.keep(sequence);
        lowCount++;
        continue;
      }
      if (tier) quota?.take(tier);
      equals?.keep(sequence);
      // A memory without a session has a group of its own.
      if (session >= 0) sessions?.add(session);
      chosen.push(hit);
    }
    if (equals) for (const { sequence } of lanes.behind) if (equals.isAlikeAny(sequence)) equals.counts(sequence);
    return { chosen, refused, lowCount, equals };
  }

  protected selected(state: NamespaceState, filter: Filter): FilterSet | undefined {
    return selectMemories(state.filters, filter, { source: this.source, entry: state.entry });
  }

  private isAdmitted({ entry }: NamespaceState, sequence: number, filter: Filter): boolean {
    const memory = this.source.read(entry, entry.firstKey + sequence);
    return memory !== undefined && admits(filter, memory);
  }

  private answer(
    { chosen, lowCount, equals, lanes, degraded }: Found,
    state: NamespaceState,
    query: RecallQuery,
    hitReader: HitReader,
  ): RecallResult {
    const { firstKey } = state.entry;
    const present = new Set(chosen.map(({ candidate }) => candidate.sequence));
    const hits = chosen.map((found): ScoredHit => {
      const { candidate, score } = found;
      const { sequence } = candidate;
      const newer = candidate.learned?.adjustment?.outdatedBy ?? -1;
      const passage = this.passageIn(firstKey + sequence, lanes.passageOf(sequence));
      return {
        ...hitReader.identityOf(firstKey + sequence),
        score,
        relevance: lanes.relevanceOf(candidate),
        equalCount: equals?.countOf(sequence) ?? 0,
        ...(present.has(newer) && { outdatedBy: hitReader.identityOf(firstKey + newer).id }),
        components: query.explain ? spreadComponents(componentsOf(candidate, state.columns, query), found) : [],
        features: query.explain && candidate.learned ? (this.learned?.explain(candidate.learned) ?? []) : [],
        isRestored: query.explain && this.source.isPacked(firstKey + sequence),
        passage,
        matchedTerms: lanes.terms.filter((term) => term.sequences.has(sequence)).map((term) => term.term),
        before: this.around(state, query, sequence, -1, hitReader).reverse(),
        after: this.around(state, query, sequence, 1, hitReader),
      };
    });
    return {
      hits,
      lanes: lanes.searched,
      degraded,
      candidateCount: lanes.candidates.size + lanes.leftBehind,
      lowRelevanceCount: lowCount,
      revision: state.revision,
      untilUs: lanes.isSettled ? changesAtUs(state, query) : query.nowUs,
    };
  }

  private passageIn(key: number, span: Span | undefined): FoundPassage | undefined {
    const whole = span && this.source.text(key)?.whole;
    if (!whole) return undefined;
    return { text: whole.slice(span.from, span.end), offsetBytes: Buffer.byteLength(whole.slice(0, span.from)) };
  }

  /** Ids of the memories of the session in one direction, nearest first. */
  private around(
    state: NamespaceState,
    query: RecallQuery,
    sequence: number,
    step: 1 | -1,
    hitReader: HitReader,
  ): string[] {
    const keys: number[] = [];
    let at = state.columns.neighbor(sequence, step);
    while (at >= 0 && keys.length < query.neighborCount) {
      if (state.columns.isCandidate(at, { nowUs: query.nowUs, validity: 'any' })) keys.push(state.entry.firstKey + at);
      at = state.columns.neighbor(at, step);
    }
    return keys.map((key) => hitReader.identityOf(key).id);
  }
}

function checkDeadline(query: RecallQuery): void {
  if (Date.now() < query.deadlineAtMs) return;
  throw new MnemeError('DEADLINE_EXCEEDED', 'the filter refused too many memories to finish before the deadline');
}

/** Lifetime of a parsed relative time such as "yesterday" or "two hours ago". */
const TIME_REFRESH_US = 60_000_000;

/** When time alone may change the answer. */
function changesAtUs(state: NamespaceState, query: RecallQuery): Micros {
  return Math.min(state.nextTurn.afterUs(query.nowUs), nextTickUs(query), timesMoveAtUs(query));
}

function timesMoveAtUs({ text, nowUs, referenceUs }: RecallQuery): Micros {
  return referenceUs === undefined && namesTime(text) ? nowUs + TIME_REFRESH_US : Number.POSITIVE_INFINITY;
}

/** Asks every lane that the query calls for, and the filter alone when it calls for none. */
function findCandidates(
  state: NamespaceState,
  query: RecallQuery,
  keywords: KeywordIndex,
  options: CandidateOptions,
): Lanes {
  const search = new CandidateSearch(state, query, options);
  const hasText = query.text !== '' && query.weights.keyword > 0;
  const hasVector = (query.embedding ?? options.ownText) !== undefined && query.weights.vector > 0;
  const failures: unknown[] = [];
  const attempt = (part: RecallLane, lane: () => void): void => {
    try {
      lane();
      search.searched.push(part);
    } catch (error) {
      if (error instanceof MnemeError && error.reason === 'DEADLINE_EXCEEDED') throw error;
      options.onFault(part, error);
      failures.push(error);
      search.degraded.push({ part, reason: `the ${part} lane failed; the server's log has the details` });
    }
  };
  const { nearTime, nearPlace, weights } = query;
  const hasTime = nearTime !== undefined && (weights.time ?? 0) > 0;
  const hasPlace = nearPlace !== undefined && (weights.place ?? 0) > 0;
  const compared = comparedStateOf(query);
  const isByOwnVector = hasVector && !compared && !search.isInLearnedOrder;
  const isAlone = !isByOwnVector && !compared && !hasTime && !hasPlace;
  if (hasText) attempt('keyword', () => search.byKeywords(keywords, isAlone));
  if (compared) attempt('vector', () => search.byState(compared));
  else if (isByOwnVector) attempt('vector', () => search.byVector());
  else if (hasVector) search.searched.push('vector');
  if (hasTime) attempt('time', () => search.byTime(nearTime));
  if (hasPlace) attempt('place', () => search.byPlace(nearPlace));
  if (!hasText && !hasVector && !compared && !hasTime && !hasPlace) attempt('filter', () => search.byFilter());
  if (search.searched.length === 0) throw failures[0];
  return search;
}
