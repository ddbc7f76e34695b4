import type { Thrown } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type { Embedding, Micros } from '../../memory/memory.ts';
import type { RecallQuery, RecallResult, ScoredHit } from '../recall/recall-engine.ts';

/** The properties that decide whether a change can alter the answer of a standing query. */
export interface StandingQuery {
  readonly namespace: string;
  /**
   * `admitted`: the score of a memory depends on that memory alone, so that only changes of members and of memories
   * that the filter admits count. `near`: it also depends on the memories at least `minSimilarity` near to the vector.
   * `ranked`: scores depend on all other memories, so that every change counts; changes of memories that have a word of
   * the text count immediately.
   */
  readonly kind: 'admitted' | 'near' | 'ranked';
  /** The memories that may be returned, with scope, tiers and policies, without moving windows of time. */
  readonly filter?: Filter;
  /** Empty where there is none. */
  readonly text: string;
  readonly embedding?: Embedding;
  readonly minSimilarity: number;
  /** The filter, or the order, depends on fields that change when a memory is read. */
  readonly seesTouches: boolean;
  /** The filter looks at the tier. */
  readonly seesMoves: boolean;
}

export interface AffectedQueries {
  /** Everything up to here has been processed. */
  readonly throughRevision: number;
  /** Ids of the queries to be asked again at once. */
  readonly urgent: readonly number[];
  /** Ids of queries that are to be asked again some time soon. */
  readonly settling: readonly number[];
  /** Namespaces all whose `ranked` queries are to be asked again some time soon. */
  readonly settlingNamespaces: readonly string[];
  /** Memories that were changed or erased: queries of which they are members are to be asked again at once. */
  readonly changed: readonly { readonly namespace: string; readonly id: string }[];
  /** Some of the log is lost, or the index has forgotten its queries: all are to be asked again. */
  readonly isEverything: boolean;
}

/** A query without the parts that change with every evaluation, and without its vector, which is stored. */
export type LastingQuery = Omit<RecallQuery, 'nowUs' | 'deadlineAtMs' | 'revision' | 'embedding'>;

/** Asks a `near` query. */
export interface Evaluation {
  readonly id: number;
  readonly nowUs: Micros;
  readonly deadlineAtMs: number;
  /** Absent when it is the one of the last time. */
  readonly query?: LastingQuery;
}

/** `isUnknown`: the index does not know the query (any more). */
export type Evaluated = { readonly answer: RecallResult } | { readonly thrown: Thrown } | { readonly isUnknown: true };

/** Stores all standing queries and finds those that a stretch of the change log affects. */
export interface StandingQueryIndex {
  /** Changes after the revision count. Fails with NAMESPACE_NOT_FOUND. */
  put(id: number, query: StandingQuery, afterRevision: number): Promise<void>;
  remove(id: number): Promise<void>;
  /** `count`: the expected number of queries; an index with fewer has been restarted and reports it. */
  affected(read: { readonly afterRevision: number; readonly count: number }): Promise<AffectedQueries>;
  /** Answers in the order of the evaluations, each equal to a search at that moment. */
  evaluate(evaluations: readonly Evaluation[]): Promise<readonly Evaluated[]>;
}

/** Hits of which only ids and scores are asked: as columns they pass between threads in less than half of the time. */
interface BareHits {
  readonly ids: readonly string[];
  readonly revisions: readonly number[];
  readonly scores: readonly number[];
  readonly relevances: readonly number[];
  readonly equalCounts: readonly number[];
}

/** The message of the search thread for an evaluation. */
export type SentEvaluated = Evaluated | { readonly bare: BareResult };

type BareResult = Omit<RecallResult, 'hits'> & { readonly hits: BareHits };

const NOTHING_ELSE = { components: [], features: [], matchedTerms: [], isRestored: false, before: [], after: [] };

export function toSent(
  query: Pick<RecallQuery, 'text' | 'explain' | 'neighborCount'>,
  answer: RecallResult,
): SentEvaluated {
  if (query.text !== '' || query.explain || query.neighborCount > 0) return { answer };
  const { hits, ...result } = answer;
  const ids = hits.map(({ id }) => id);
  const revisions = hits.map(({ revision }) => revision);
  return {
    bare: {
      ...result,
      hits: {
        ids,
        revisions,
        scores: hits.map(({ score }) => score),
        relevances: hits.map(({ relevance }) => relevance),
        equalCounts: hits.map(({ equalCount }) => equalCount),
      },
    },
  };
}

export function fromSent(sent: SentEvaluated): Evaluated {
  if (!('bare' in sent)) return sent;
  const { hits, ...result } = sent.bare;
  const { revisions, scores, relevances, equalCounts } = hits;
  const found = hits.ids.map((id, at): ScoredHit => {
    return {
      ...NOTHING_ELSE,
      id,
      revision: revisions[at] ?? 0,
      score: scores[at] ?? 0,
      relevance: relevances[at] ?? 0,
      equalCount: equalCounts[at] ?? 0,
    };
  });
  return { answer: { ...result, hits: found } };
}
