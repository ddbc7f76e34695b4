import {
  RecallServiceService as methods,
  type RecallHit,
  type RecallRequest,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Connection } from './connection.ts';
import { type Lane, laneOf, viewCode } from './enums.ts';
import type { Filter } from './filter.ts';
import type { Embedding, Memory, NewMemory, Scope, View } from './memory.ts';
import { embeddingMessage, messageOfMemory, scopeMessage } from './memory-to-message.ts';
import { memoryOfMessage } from './message-to-memory.ts';
import { memoryName, namespaceName } from './names.ts';
import type { ReadOptions } from './options.ts';

/** How much each part of a score counts: 0 switches a part off, absent ones have the server's default. */
export interface RecallWeights {
  readonly keyword?: number;
  readonly vector?: number;
  readonly recency?: number;
  readonly importance?: number;
  readonly session?: number;
}

/** At least one of `text`, `embedding`, `example`, `similarTo` and `filter` must be given. */
export interface RecallQuery {
  /** What is looked for, in plain language. */
  readonly text?: string;
  /** Vector of what is looked for. Default: computed from `text` by the server's embedder. */
  readonly embedding?: Embedding;
  /** A memory as it might be: its text and the texts of its content are looked for. */
  readonly example?: NewMemory;
  /** Id of a memory that others are to be like; it is not returned itself. */
  readonly similarTo?: string;
  /** Which memories may be returned. Default: all. */
  readonly filter?: Filter;
  /** Whose memories may be returned: parts that are given must be equal. Default: all. */
  readonly scope?: Scope;
  /** Most hits to return, 1 to 1,000. Default 10. */
  readonly limit?: number;
  /** Hits below this score are left out. Scores are comparable within one answer only. */
  readonly minScore?: number;
  /** Memories less near to the vector asked for (cosine, -1 to 1) are not candidates of the vector lane. */
  readonly minSimilarity?: number;
  readonly weights?: RecallWeights;
  /** Age at which recency has halved. Default 7 days. */
  readonly recencyHalfLifeMs?: number;
  /** Includes memories that are superseded by others. */
  readonly includeSuperseded?: boolean;
  /** Fills `components` and `matchedTerms` of each hit. */
  readonly explain?: boolean;
  /** Default `basic`: everything but the vector. */
  readonly view?: View;
  /** Counts the recall: raises `retrievalCount` of every hit. */
  readonly touch?: boolean;
  /** Returns with each hit this many memories of its session before and after it, 0 to 5. */
  readonly neighborCount?: number;
  /** Searches vectors exactly, whatever the size of the scope. */
  readonly exact?: boolean;
}

export interface ScoreComponent {
  readonly name: string;
  /** What the part gave before weighing, in its own unit. */
  readonly value: number;
  /** What it added to the score. */
  readonly contribution: number;
  /** Place of the memory in the lane, from 1; 0 where there is none. */
  readonly rank: number;
}

export interface Hit {
  readonly memory: Memory;
  /** What the order is by: higher is better. */
  readonly score: number;
  readonly components: readonly ScoreComponent[];
  readonly matchedTerms: readonly string[];
  /** Memories of its session before it, nearest last. */
  readonly before: readonly Memory[];
  /** Memories of its session after it, nearest first. */
  readonly after: readonly Memory[];
}

export interface Recalled {
  /** Best first. */
  readonly hits: readonly Hit[];
  /** Lanes that were searched. */
  readonly lanes: readonly Lane[];
  /** Parts that could not be searched, or not in full. */
  readonly degraded: readonly { readonly part: string; readonly reason: string }[];
  /** How many memories were ranked before the limit was applied. */
  readonly candidateCount: number;
  readonly revision: number;
}

/** RecallService. */
export interface RecallCalls {
  /** The memories that matter most for a cue: a text, or any mix of what `RecallQuery` offers. */
  recall(query: string | RecallQuery, options?: ReadOptions): Promise<Recalled>;
}

export function recallService(connection: Connection, namespace: string): RecallCalls {
  return {
    async recall(query, options = {}) {
      const request = requestOf(typeof query === 'string' ? { text: query } : query, namespace);
      const answer = await connection.unary(
        methods.recall,
        { ...request, minRevision: connection.minRevision(options) },
        { timeoutMs: connection.recallTimeoutMs, ...options },
      );
      return {
        hits: answer.hits.map(hitOf),
        lanes: answer.lanes.map(laneOf),
        degraded: answer.degraded,
        candidateCount: answer.candidateCount,
        revision: connection.seen(answer.revision),
      };
    },
  };
}

function requestOf(query: RecallQuery, namespace: string): Omit<RecallRequest, 'minRevision'> {
  const { weights = {}, recencyHalfLifeMs } = query;
  return {
    parent: namespaceName(namespace),
    text: query.text ?? '',
    embedding: query.embedding && embeddingMessage(query.embedding),
    example: query.example && messageOfMemory(query.example, namespace),
    similarTo: query.similarTo === undefined ? '' : memoryName(namespace, query.similarTo),
    filter: query.filter,
    scope: scopeMessage(query.scope),
    limit: query.limit ?? 0,
    minScore: query.minScore,
    minSimilarity: query.minSimilarity,
    weights: query.weights && {
      keyword: weights.keyword,
      vector: weights.vector,
      recency: weights.recency,
      importance: weights.importance,
      session: weights.session,
    },
    recencyHalfLife: recencyHalfLifeMs === undefined ? undefined : durationOfMs(recencyHalfLifeMs),
    includeSuperseded: query.includeSuperseded ?? false,
    explain: query.explain ?? false,
    view: viewCode(query.view),
    touch: query.touch ?? false,
    neighborCount: query.neighborCount ?? 0,
    exact: query.exact ?? false,
  };
}

function hitOf(hit: RecallHit): Hit {
  return {
    memory: memoryOfMessage(hit.memory),
    score: hit.score,
    components: hit.components,
    matchedTerms: hit.matchedTerms,
    before: hit.before.map(memoryOfMessage),
    after: hit.after.map(memoryOfMessage),
  };
}

function durationOfMs(milliseconds: number): { seconds: bigint; nanos: number } {
  const seconds = Math.trunc(milliseconds / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((milliseconds - seconds * 1000) * 1_000_000) };
}
