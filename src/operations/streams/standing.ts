import type { StandingQuery } from '../../recall/standing/standing-query.ts';

/** How soon a query is to be asked again. */
export type Urgency = 'urgent' | 'settling';

/** A standing query, for as long as it stands. */
export interface Standing {
  /** Names the query to the index. */
  readonly id: number;
  /** As the index knows it. */
  readonly query: StandingQuery;
  /** What may be returned may be other than the filter of the query says: policies, or whose a session is, have changed. */
  isOutdated: boolean;
  /** Everything up to this revision is either without effect on the query or has been told by `onAffected`. */
  readonly revision: number;
  /** An answer is looked for from now on, until `setMembers` tells what is in it. */
  beginSearch(): void;
  /** From now on changes count by this query, which is of the same kind. Fails with NAMESPACE_NOT_FOUND. */
  renew(query: StandingQuery): Promise<void>;
  /**
   * Memories of which every change counts: those in the answer, those that would have been had they not been erased before
   * they were read, and those that the query is about. Of one that is new among them and was changed since `beginSearch`, the
   * answer may not know: then the query is to be asked again.
   */
  setMembers(ids: readonly string[]): void;
  end(): void;
}
