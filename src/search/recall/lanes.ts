import type { Span } from '../../memory/passages.ts';
import type { FilterSet } from '../filtering/filter-set.ts';
import type { Neighbor } from '../vectors/vector-index.ts';
import type { KeywordMatches, WordCounts } from './keyword-lane.ts';
import type { LearnedLane } from './learned-lane.ts';
import type { NamespaceSource } from './namespace-source.ts';
import type { NamespaceState } from './namespace-state.ts';
import { type NearText, nearestTexts, type TextSearch } from './near-texts.ts';
import { type Candidate, vectorPlacesThatCount } from './rank.ts';
import type { Degradation, RecallLane, RecallQuery } from './recall-engine.ts';
import type { SequenceScores } from './sequence-scores.ts';
import type { SessionContext } from './session-context.ts';

export interface Lanes {
  readonly candidates: Map<number, Candidate>;
  /** How many more were put in order, too far behind to be among the hits. */
  readonly leftBehind: number;
  /** Those of them that were found by words. */
  readonly behind: readonly { readonly sequence: number }[];
  readonly searched: RecallLane[];
  readonly degraded: Degradation[];
  readonly terms: KeywordMatches['terms'];
  /** The passage that a memory was found by; none where its text is no long one, or was not asked for. */
  passageOf(sequence: number): Span | undefined;
  /** 0 to 1. */
  relevanceOf(candidate: Candidate): number;
  /** False while the same question may be answered better soon, without a change of any memory. */
  readonly isSettled: boolean;
  /** True when a lane had more than it was asked for. */
  readonly truncated: boolean;
  /** True when later places of the vector lane are left out: none of its hits may be refused then. */
  readonly isShortened: boolean;
}

/** Buffers that consecutive queries reuse. */
export interface KeywordBuffers {
  readonly scores: SequenceScores;
  readonly passages: SequenceScores;
  readonly context: SessionContext;
  readonly words: WordCounts;
  /** Of further searches for one query. */
  readonly further: Pick<KeywordBuffers, 'scores' | 'passages' | 'context'>;
}

export interface CandidateOptions {
  /** Memories that the filter may admit; all when absent. */
  readonly narrowed: FilterSet | undefined;
  /** True when the evaluator, or the number of hits of a tier, will decide on each hit and may refuse it. */
  readonly isFiltered: boolean;
  /** A memory that is not to be found. */
  readonly excludedKey: number | undefined;
  /** How many times more candidates than usual each lane is to give. */
  readonly widening: number;
  /** True when all places of the vector lane are needed, not only those that can reach the hits. */
  readonly isWhole: boolean;
  /** Texts, and indexes of time and place. */
  readonly source: Pick<NamespaceSource, 'nearestMoments' | 'nearestPlaces' | 'text'>;
  /** Vector of the query's text for comparison with the memories' texts, and the source of their vectors. */
  readonly ownText: Pick<TextSearch, 'asked' | 'texts'> | undefined;
  /**
   * Orders keyword candidates where the query asks for it, and computes their relevance; absent where the server has no
   * ranker.
   */
  readonly learned: LearnedLane | undefined;
  /** All memories that are near enough, nearest first, where that is known without a search. */
  readonly near: readonly Neighbor[] | undefined;
  readonly buffers: KeywordBuffers;
  readonly onFault: (part: string, error: unknown) => void;
}

/** Number of candidates of the lane: enough for the fusion, with a reserve for those that a filter refuses. */
const CANDIDATES_MIN = 100;

export interface VectorMatches {
  /** Nearest first. */
  readonly neighbors: readonly NearText[];
  /** True when there may be more than it was asked for. */
  readonly truncated: boolean;
  /** How many more were found, too far behind to be among the hits. Default 0. */
  readonly leftBehind?: number;
}

/**
 * Comparing a key costs a fortieth of what each node costs that the graph is asked for: up to a number of keys whose square is so
 * many times the limit times all, comparing them is faster than asking for as many more as a filter refuses, and exact.
 */
const KEYS_PER_LIMIT = 40;

/** True when places in the vector lane alone decide which memories can be hits. */
function isAlone(query: RecallQuery): boolean {
  const { text, weights, nearTime, nearPlace, minSimilarity, minRelevance } = query;
  const hasOthers = (text !== '' && weights.keyword > 0) || nearTime !== undefined || nearPlace !== undefined;
  return !hasOthers && minSimilarity === undefined && minRelevance === undefined;
}

/** Candidates that the lane gives for so many hits. */
export function vectorCandidatesOf(limit: number): number {
  return Math.max(CANDIDATES_MIN, limit);
}

/** The nearest of the stored vectors, or of the texts' vectors where the query vector is that of its text. */
export function searchVectors(
  state: NamespaceState,
  query: RecallQuery,
  options: CandidateOptions,
  isAllowed: (sequence: number) => boolean,
): VectorMatches {
  const { index, entry, columns } = state;
  const { embedding, limit: hitLimit, exact, minSimilarity = -1 } = query;
  const { narrowed, excludedKey, widening, ownText, source, near } = options;
  const limit = vectorCandidatesOf(hitLimit) * widening;
  if (ownText) {
    const neighbors = nearestTexts(state, {
      ...ownText,
      source,
      limit,
      minSimilarity,
      narrowed,
      isAllowed,
      isExact: exact,
    });
    return { neighbors, truncated: neighbors.length >= limit };
  }
  if (near) {
    const allowed = near.filter(({ key }) => isAllowed(key - entry.firstKey));
    return { neighbors: allowed.slice(0, limit), truncated: allowed.length > limit };
  }
  if (!index || !embedding) return { neighbors: [], truncated: false };
  const isFew = narrowed && narrowed.count ** 2 <= KEYS_PER_LIMIT * limit * index.size;
  const isUnhidden = excludedKey === undefined && !columns.hasHidden && typeof query.validity !== 'object';
  const isOpen = isFew || (!narrowed && excludedKey === undefined && !columns.hasHidden);
  const first = !options.isWhole && isAlone(query) ? vectorPlacesThatCount(query, columns) : limit;
  const { neighbors, count } = index.searchFirst(embedding.values, limit, first, {
    exact,
    ...(isOpen ? {} : { admits: (key: number) => isAllowed(key - entry.firstKey) }),
    ...(isFew ? { candidates: narrowed.keysFrom(entry.firstKey, isUnhidden ? undefined : isAllowed) } : {}),
    admittedCount: narrowed?.count,
  });
  return { neighbors, truncated: count >= limit && limit < index.size, leftBehind: count - neighbors.length };
}
