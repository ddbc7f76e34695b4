import type { Filter } from '../memory/filter.ts';
import type { Content, Embedding, Memory, MemoryView, Micros, Scope } from '../memory/memory.ts';
import type { Degradation, RecallLane, RecallWeights, ScoreComponent } from '../recall/recall-engine.ts';

/** What a caller wants to recall, checked: at least one of text, embedding, example, similarToId and filter is there. */
export interface RecallRequest {
  readonly namespace: string;
  /** Empty when the request has none. */
  readonly text: string;
  readonly embedding?: Embedding;
  /** A memory as it might be; has a text, a content or both. */
  readonly example?: RecallExample;
  /** Id of a memory of the namespace that the hits are to be like. */
  readonly similarToId?: string;
  readonly filter?: Filter;
  /** Parts that are not empty must be equal. */
  readonly scope?: Scope;
  readonly limit: number;
  readonly minScore?: number;
  /** Least cosine of a candidate of the vector lane, -1 to 1. */
  readonly minSimilarity?: number;
  /** Only the weights that the caller gave: finite and not negative. */
  readonly weights: Partial<RecallWeights>;
  readonly halfLifeUs: Micros;
  readonly includeSuperseded: boolean;
  readonly explain: boolean;
  readonly view: MemoryView;
  readonly touch: boolean;
  /** 0 when any state will do. */
  readonly minRevision: number;
  readonly neighborCount: number;
  readonly exact: boolean;
}

export interface RecallExample {
  readonly text: string;
  readonly content?: Content;
}

export interface RecallAnswer {
  readonly hits: readonly RecallHit[];
  readonly revision: number;
  readonly lanes: readonly RecallLane[];
  readonly degraded: readonly Degradation[];
  readonly candidateCount: number;
}

export interface RecallHit {
  readonly memory: Memory;
  readonly score: number;
  /** Contributions that add up to `score`; empty unless the request asked for an explanation. */
  readonly components: readonly ScoreComponent[];
  readonly matchedTerms: readonly string[];
  /** Memories of its session before it, nearest last. */
  readonly before: readonly Memory[];
  /** Memories of its session after it, nearest first. */
  readonly after: readonly Memory[];
}
