import type { RecallEngine } from '../../search/recall/recall-engine.ts';
import { withMethods } from '../with-methods.ts';
import type { ViewFollower } from './view-follower.ts';

export interface ViewedEngineOptions {
  /** Searches the view. */
  readonly engine: RecallEngine;
  readonly follower: Pick<ViewFollower, 'during'>;
  /** Newest revision of the view's own log. */
  readonly revision: () => number;
  /** Memories of a namespace that the view may have without their texts, for people; `undefined` where there are none. */
  readonly degraded?: (namespace: string) => Promise<string | undefined>;
}

/** Recall over a view that first gets every write that any server has acknowledged. */
export function viewedEngine({ engine, follower, revision, degraded }: ViewedEngineOptions): RecallEngine {
  return withMethods(engine, {
    search: (query, signal) =>
      follower.during(query.namespace, async () => {
        const result = await engine.search({ ...query, revision: revision() }, signal);
        const reason = await degraded?.(query.namespace);
        return reason === undefined ? result : { ...result, degraded: [...result.degraded, { part: 'texts', reason }] };
      }),
  });
}
