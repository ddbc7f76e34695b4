import type { Filter } from '../../memory/filter.ts';

/** What decides whether a change can alter the answer of a standing query. */
export interface StandingQuery {
  readonly namespace: string;
  /**
   * `admitted`: the score of a memory depends on that memory alone, so that only changes of members and of memories that
   * the filter admits count. `near`: as that, for memories at least `minSimilarity` near to the vector. `ranked`: scores
   * depend on what else there is, so that every change counts; those that have a word of the text count at once.
   */
  readonly kind: 'admitted' | 'near' | 'ranked';
  /** With the scope, without windows of time that move. */
  readonly filter?: Filter;
  /** Empty where there is none. */
  readonly text: string;
  readonly vector?: Float32Array;
  readonly minSimilarity: number;
  /** The filter looks at what changes when a memory is read. */
  readonly seesTouches: boolean;
}

export interface AffectedQueries {
  /** Everything up to here has been looked at. */
  readonly throughRevision: number;
  /** Ids of the queries to be asked again at once. */
  readonly urgent: readonly number[];
  /** Namespaces whose `ranked` queries are to be asked again some time soon, as those that are `near` where it says so. */
  readonly settling: readonly { readonly namespace: string; readonly isNearToo: boolean }[];
  /** Memories that were changed or erased: queries of which they are members are to be asked again at once. */
  readonly changed: readonly { readonly namespace: string; readonly id: string }[];
  /** Some of the log is lost, or the index has forgotten its queries: all are to be asked again. */
  readonly isEverything: boolean;
}

/** Knows all standing queries and finds those that a stretch of the change log affects. */
export interface StandingQueryIndex {
  /** Fails with NAMESPACE_NOT_FOUND. */
  put(id: number, query: StandingQuery): Promise<void>;
  remove(id: number): Promise<void>;
  /** `count`: how many queries there are; an index that knows of fewer has been started anew and says so. */
  affected(read: { readonly afterRevision: number; readonly count: number }): Promise<AffectedQueries>;
}
