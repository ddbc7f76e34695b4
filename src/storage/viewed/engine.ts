import type { RecallEngine } from '../../recall/recall-engine.ts';
import { withMethods } from '../with-methods.ts';
import type { ViewFollower } from './view-follower.ts';

export interface ViewedEngineOptions {
  /** Searches the view. */
  readonly engine: RecallEngine;
  readonly follower: Pick<ViewFollower, 'during'>;
  /** Newest revision of the view's own log. */
  readonly revision: () => number;
}

/** Recall over a view that first gets every write that any server has acknowledged. */
export function viewedEngine({ engine, follower, revision }: ViewedEngineOptions): RecallEngine {
  return withMethods(engine, {
    search: (query, signal) =>
      follower.during(query.namespace, () => engine.search({ ...query, revision: revision() }, signal)),
  });
}
