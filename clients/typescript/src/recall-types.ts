import type { RecallLane } from './enums.ts';
import type { FilterLike } from './filter.ts';
import type { Embedding, Memory, MemoryView, NewMemory, Scope, Tier } from './memory.ts';
import type { NearPlace, NearTime, TimeWindow } from './nearness.ts';
import type { TimeLike } from './precise-date.ts';
import type { RecallPreset } from './recall-presets.ts';
import type { TrustLevel } from './trust.ts';

/** Weights of the parts of a score: 0 disables a part, absent ones have the server's default. */
export interface RecallWeights {
  readonly keyword?: number;
  readonly vector?: number;
  readonly recency?: number;
  readonly importance?: number;
  readonly session?: number;
  /** Nearness to `nearTime`. */
  readonly time?: number;
  /** Nearness to `nearPlace`. */
  readonly place?: number;
}

/**
 * At least one of `text`, `embedding`, `example`, `similarTo`, `filter`, `nearTime`, `nearPlace`, `timeWindow` and
 * `preset` is required.
 */
export interface RecallQuery {
  /** Query in plain language. */
  readonly text?: string;
  /** Vector of the query. Default: computed from `text` by the server's embedder. */
  readonly embedding?: Embedding;
  /** A memory as it might be: its text and the texts of its content are looked for. */
  readonly example?: NewMemory;
  /** Id of a memory that others are to be like; it is not returned itself. */
  readonly similarTo?: string;
  /** Which memories may be returned. Default: all. */
  readonly filter?: FilterLike;
  /** Scope of the memories, including those that its ancestors share, such as its project. Default: all. */
  readonly scope?: Scope;
  /** `own`: only memories within the scope. Default: those of its ancestors are visible as well. */
  readonly scopeView?: 'inherited' | 'own';
  /** Most hits to return, 1 to 1,000. Default 10. */
  readonly limit?: number;
  /** Minimum score of hits. Scores are comparable within one answer only. */
  readonly minScore?: number;
  /** Minimum relevance of hits, 0 to 1. Default with `text`: the namespace's setting (0.07); 0 leaves none out. */
  readonly minRelevance?: number;
  /** Memories less near to the vector asked for (cosine, -1 to 1) are not candidates of the vector lane. */
  readonly minSimilarity?: number;
  /** Penalty for similarity to preceding hits (MMR), 0 to 1. Default 0: none. Must be absent with `preset`. */
  readonly diversity?: number;
  /** `session`: of the memories of a session only the best is a hit. Must be absent with `preset`. */
  readonly groupBy?: 'session';
  /** Order of keyword candidates: learned (the default), or by the lanes' own scores. */
  readonly ranking?: 'learned' | 'fusion';
  readonly weights?: RecallWeights;
  /** Age at which recency has halved. Default 7 days. */
  readonly recencyHalfLifeMs?: number;
  /** When the question is asked: times in `text` ("yesterday") and recency are counted from it. Default: now. */
  readonly referenceTime?: TimeLike;
  /**
   * Time zone of the user, an IANA name or an offset such as `+09:00`: "yesterday" is a day there. Default: the offset of
   * `referenceTime` where that is a text with one, else UTC.
   */
  readonly timeZone?: string;
  /** Includes memories that are not valid now: superseded, or outside of their validity. Must be absent with `asOf`. */
  readonly includeInvalid?: boolean;
  /** Reads memories valid at this instant, whether or not superseded since. */
  readonly asOf?: TimeLike;
  /** Fills `components` and `matchedTerms` of each hit. */
  readonly explain?: boolean;
  /** Default `basic`: all fields except the vector. */
  readonly view?: MemoryView;
  /** Counts the recall: raises `retrievalCount` of every hit. */
  readonly touch?: boolean;
  /** As `touch`, and moves each hit one tier up that has earned it. */
  readonly focus?: boolean;
  /** Tiers that hits may be in. Default: all. */
  readonly tiers?: readonly Tier[];
  /** Returns with each hit this many memories of its session before and after it, 0 to 5. */
  readonly neighborCount?: number;
  /** Searches vectors exactly, whatever the size of the scope. */
  readonly exact?: boolean;
  /** A retrieval form by name, in place of `text`, `embedding`, `example`, `similarTo`, `weights` and `minSimilarity`. */
  readonly preset?: RecallPreset;
  /** Nearness in time raises the score; the nearest memories are candidates. */
  readonly nearTime?: NearTime;
  /** Nearness in place raises the score; the nearest memories are candidates. */
  readonly nearPlace?: NearPlace;
  /** Event times of the memories that may be returned; may be relative to the server's clock. */
  readonly timeWindow?: TimeWindow;
  /** Most tokens that the texts of the hits may have together, 1 to 100,000; fills `passages`. */
  readonly tokenBudget?: number;
}

export interface ScoreComponent {
  readonly name: string;
  /** Unweighted value of the part, in its own unit. */
  readonly value: number;
  /** Its contribution to the score. */
  readonly contribution: number;
  /** Place of the memory in the lane, from 1; 0 where there is none. */
  readonly rank: number;
}

export interface MatchedPassage {
  readonly text: string;
  /** Where it begins in the memory's text, in bytes of UTF-8. */
  readonly offsetBytes: number;
}

export interface RecallHit {
  readonly memory: Memory;
  /** Determines the order: higher is better. */
  readonly score: number;
  /** Probability that the memory answers the query, 0 to 1: comparable between queries and namespaces. */
  readonly relevance: number;
  /** Further memories that are equal to this one, and therefore no hits of their own. */
  readonly equalCount: number;
  /** Name of the hit that states a newer value of what this one states. */
  readonly outdatedBy?: string;
  readonly components: readonly ScoreComponent[];
  /** Features of the learned order, heaviest first, with `explain`. */
  readonly features: readonly ScoreComponent[];
  readonly matchedTerms: readonly string[];
  /** With `explain`: whether text and content come from the compressed form of a lower tier. */
  readonly restored: boolean;
  /** Trust in the source of the memory; of a derived memory the least of its sources. */
  readonly trust: TrustLevel;
  /** For a text of more than 2,400 characters, the part that answers best, by which the memory was found. */
  readonly passage?: MatchedPassage;
  /** Memories of its session before it, nearest last. */
  readonly before: readonly Memory[];
  /** Memories of its session after it, nearest first. */
  readonly after: readonly Memory[];
}

export interface RecallResult {
  /** Best first. */
  readonly hits: readonly RecallHit[];
  /** Lanes that were searched. */
  readonly lanes: readonly RecallLane[];
  /** Parts that could not be searched, or not in full. */
  readonly degraded: readonly { readonly part: string; readonly reason: string }[];
  /** How many memories were ranked before the limit was applied. */
  readonly candidateCount: number;
  /** Of the first `limit` memories, those left out because they are less relevant than `minRelevance`. */
  readonly lowRelevanceCount: number;
  /** With a budget of tokens: the hits as texts to read, best first. */
  readonly passages: readonly Passage[];
  /** Tokens that the passages have together. */
  readonly tokenCount: number;
  /** Ids of the hits that were moved one tier up, with `focus`. */
  readonly promotedIds: readonly string[];
  /** Ids of hits, and of neighbours of hits, whose bytes are damaged: they are missing from `hits`. */
  readonly damagedIds: readonly string[];
  readonly revision: number;
}

/** A hit, or several of one session that follow one another, as one text. */
export interface Passage {
  readonly text: string;
  readonly tokenCount: number;
  /** Of the memories, in the order of the text. */
  readonly ids: readonly string[];
  readonly score: number;
}
