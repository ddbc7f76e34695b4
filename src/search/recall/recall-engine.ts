import type { Filter } from '../../memory/filter.ts';
import type { Embedding, Memory, MemoryView, Micros, Scope } from '../../memory/memory.ts';
import type { NearPlace, NearTime } from '../../memory/place.ts';
import type { ComparedState } from '../../memory/states/state.ts';
import type { ValidityView } from '../../memory/validity.ts';
import type { Scoring } from '../scoring/scoring.ts';

/** Finds and ranks memories. The caller reads from the store what the engine was not asked to read or could not read. */
export interface RecallEngine {
  /** Model that it can make vectors of texts with (`RecallQuery.embedText`); empty when it cannot. */
  readonly textModel: string;
  /**
   * Sees every write up to `query.revision`. Fails with NAMESPACE_NOT_FOUND, DIMENSION_MISMATCH, MODEL_MISMATCH.
   * A lane that fails is named in `degraded`; when every lane asked for fails, the call does.
   */
  search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult>;
  /** State of each vector index in memory. */
  statistics(): Promise<VectorIndexState[]>;
  close(): Promise<void>;
}

export interface RecallQuery {
  readonly namespace: string;
  /** State to search, at least. */
  readonly revision: number;
  readonly text: string;
  readonly embedding?: Embedding;
  /** The engine makes the vector of the text itself; only where there is no `embedding`. */
  readonly embedText?: boolean;
  /** A state whose numbers and labels hits are to be like; texts of it are in `text` too. */
  readonly state?: ComparedState;
  /** Orders keyword candidates by the learned model, where the engine has one. */
  readonly isLearned: boolean;
  readonly filter?: Filter;
  /** Parts that are not empty must be equal. */
  readonly scope?: Scope;
  /** A memory to omit: the example in a search for similar memories. */
  readonly excludeId?: string;
  readonly limit: number;
  /** Continues past the limit until each tier has that many hits or is exhausted; the order is the same. */
  readonly isPerTier?: boolean;
  /** Of equal memories (see `equal-hits.ts`) only the best is a hit. Not with `scoring` or a state. Default false. */
  readonly isOncePerText?: boolean;
  readonly minScore?: number;
  /** Least relevance of a hit, 0 to 1. */
  readonly minRelevance?: number;
  /** Least cosine of a candidate of the vector lane; with a state, its least similarity. */
  readonly minSimilarity?: number;
  /** Weight of similarity to preceding hits, 0 to 1; see `diversity.ts`. Default 0. */
  readonly diversity?: number;
  /** Of each session only the best memory is a hit. */
  readonly isOncePerSession?: boolean;
  readonly weights: RecallWeights;
  readonly nearTime?: NearTime;
  readonly nearPlace?: NearPlace;
  readonly halfLifeUs: Micros;
  /** Reference instant of times in the text and of recency. Default: `nowUs`. */
  readonly referenceUs?: Micros;
  /** IANA name of the zone of times in the text. Default: UTC. */
  readonly timeZone?: string;
  readonly nowUs: Micros;
  readonly validity: ValidityView;
  readonly explain: boolean;
  readonly neighborCount: number;
  readonly exact: boolean;
  /** Replaces lanes and weights: each memory that the filter admits is scored individually. */
  readonly scoring?: Scoring;
  /** Wall-clock instant after which the search fails with DEADLINE_EXCEEDED. */
  readonly deadlineAtMs: number;
  /** Searches that wait take turns by caller. Default: a search of the server itself. */
  readonly caller?: string;
  /** How the memories of the hits are read, in the state that is searched. Absent: only their ids are returned. */
  readonly read?: HitRead;
}

export interface HitRead {
  readonly view: MemoryView;
  /** Texts and contents, in bytes as `bodyBytesOf` counts them, after which no further memory is read. */
  readonly bytesMax: number;
  /** The hits may be returned as `RecallResult.encodedHits`. Not with `explain`, nor with the view `metadata`. */
  readonly mayEncode: boolean;
}

export interface RecallWeights {
  readonly keyword: number;
  readonly vector: number;
  readonly recency: number;
  readonly importance: number;
  readonly session: number;
  /** Of each word of the text that a memory has. Default 0: words count by the keyword score alone. */
  readonly words?: number;
  /** Of `state`. Default 0. */
  readonly state?: number;
  /** Of `nearTime`. Default 0. */
  readonly time?: number;
  /** Of `nearPlace`. Default 0. */
  readonly place?: number;
}

export type RecallLane = 'keyword' | 'vector' | 'time' | 'place' | 'filter';

export interface RecallResult {
  readonly hits: readonly ScoredHit[];
  /**
   * With `RecallQuery.read`: hits and neighbours, each once, in any order. Damaged memories are omitted: the store decides
   * about them.
   */
  readonly memories?: readonly Memory[];
  /** With `HitRead.mayEncode`, where every memory could be read: the hits as they are sent. `hits` is then empty. */
  readonly encodedHits?: Uint8Array;
  readonly lanes: readonly RecallLane[];
  readonly degraded: readonly Degradation[];
  readonly candidateCount: number;
  /** Of the first `limit` hits without `minRelevance`, those that are less relevant: they are no hits. Default 0. */
  readonly lowRelevanceCount?: number;
  readonly revision: number;
  /** When the first of all that are near to a standing query expires, which moves the others up; absent when none does. */
  readonly nearExpiresAtUs?: Micros;
  /** When the next memory of the namespace begins to be valid; absent when none does. */
  readonly nextValidAtUs?: Micros;
  /** From this instant on time alone may change the answer: a memory expires, begins or ends to be valid, or recency falls. */
  readonly untilUs?: Micros;
}

export interface ScoredHit {
  readonly id: string;
  /** Of the memory, in the state that was searched. */
  readonly revision: number;
  readonly score: number;
  /** Probability that it answers the cue, 0 to 1; see `hit-relevance.ts` for cues without a text. */
  readonly relevance: number;
  /** Further memories found that are equal to it, and therefore no hits. */
  readonly equalCount: number;
  /** Id of the hit that states a newer value of what it states; absent without one. */
  readonly outdatedBy?: string;
  /** Contributions that add up to `score`; empty unless `explain`. */
  readonly components: readonly ScoreComponent[];
  /** Features of the learned order, heaviest first; empty unless `explain` and `isLearned`. */
  readonly features: readonly FeatureContribution[];
  /**
   * Position of the passage of a long text that best answers the query's text: the memory was found and scored by it.
   */
  readonly passage?: FoundPassage;
  readonly matchedTerms: readonly string[];
  /** With `explain`: text and content come from the compressed form of a lower tier. */
  readonly isRestored: boolean;
  /** Ids of the memories of its session before it, nearest last. */
  readonly before: readonly string[];
  /** Ids of the memories of its session after it, nearest first. */
  readonly after: readonly string[];
}

/** A hit with its memories. */
export interface FoundHit extends Omit<ScoredHit, 'id' | 'revision' | 'before' | 'after'> {
  readonly memory: Memory;
  /** Memories of its session before it, nearest last. */
  readonly before: readonly Memory[];
  /** Memories of its session after it, nearest first. */
  readonly after: readonly Memory[];
}

/** Encodes hits, best first, as they are sent. */
export type EncodeHits = (hits: readonly FoundHit[]) => Uint8Array;

export interface FoundPassage {
  readonly text: string;
  /** Where it begins in the memory's text, in bytes of UTF-8. */
  readonly offsetBytes: number;
}

export interface ScoreComponent {
  readonly name: string;
  readonly value: number;
  readonly contribution: number;
  /** Place in the lane from 1; 0 where there is none. */
  readonly rank: number;
}

export interface FeatureContribution {
  readonly name: string;
  readonly value: number;
  readonly contribution: number;
}

export interface Degradation {
  readonly part: string;
  readonly reason: string;
}

export interface VectorIndexState {
  readonly namespace: string;
  readonly vectorCount: number;
  readonly exactCount: number;
  readonly revision: number;
}
