import type { Filter } from '../memory/filter.ts';
import type { Embedding, Micros, Scope } from '../memory/memory.ts';

/** Finds and ranks memories; returns ids, which the caller then reads from the store. */
export interface RecallEngine {
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
  readonly filter?: Filter;
  /** Parts that are not empty must be equal. */
  readonly scope?: Scope;
  /** A memory that is not to be returned: the one that others are to be like. */
  readonly excludeId?: string;
  readonly limit: number;
  readonly minScore?: number;
  /** Least cosine of a candidate of the vector lane. */
  readonly minSimilarity?: number;
  readonly weights: RecallWeights;
  readonly halfLifeUs: Micros;
  readonly nowUs: Micros;
  readonly includeSuperseded: boolean;
  readonly explain: boolean;
  readonly neighborCount: number;
  readonly exact: boolean;
  /** Wall-clock instant after which the search gives up with DEADLINE_EXCEEDED. */
  readonly deadlineAtMs: number;
}

export interface RecallWeights {
  readonly keyword: number;
  readonly vector: number;
  readonly recency: number;
  readonly importance: number;
  readonly session: number;
}

export type RecallLane = 'keyword' | 'vector' | 'filter';

export interface RecallResult {
  readonly hits: readonly ScoredHit[];
  readonly lanes: readonly RecallLane[];
  readonly degraded: readonly Degradation[];
  readonly candidateCount: number;
  readonly revision: number;
}

export interface ScoredHit {
  readonly id: string;
  readonly score: number;
  /** Contributions that add up to `score`; empty unless `explain`. */
  readonly components: readonly ScoreComponent[];
  readonly matchedTerms: readonly string[];
  /** Ids of the memories of its session before it, nearest last. */
  readonly before: readonly string[];
  /** Ids of the memories of its session after it, nearest first. */
  readonly after: readonly string[];
}

export interface ScoreComponent {
  readonly name: string;
  readonly value: number;
  readonly contribution: number;
  /** Place in the lane from 1; 0 where there is none. */
  readonly rank: number;
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
