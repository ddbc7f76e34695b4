import type { Clock } from '../../../memory/clock.ts';
import { scopedFilter, someFieldOf } from '../../../memory/filter.ts';
import { resolvePreset } from '../../../search/presets/presets.ts';
import { seesAccess } from '../../../search/presets/sees-access.ts';
import type { Degradation } from '../../../search/recall/recall-engine.ts';
import type { StandingQuery } from '../../../search/standing/standing-query.ts';
import type { RecallHit, RecallRequest } from '../recall/recall-request.ts';
import { seenRequest, type VisibilityDeps } from '../recall/seen-request.ts';

export interface SubscribeRequest {
  readonly query: RecallRequest;
  readonly heartbeatMs: number;
  readonly batchMax: number;
  readonly batchBytesMax: number;
}

export type RecallEvent =
  | { readonly kind: 'enter' | 'update'; readonly id: string; readonly hit: RecallHit; readonly place: number }
  | { readonly kind: 'leave'; readonly id: string };

/** `revision`: the minimum revision that the messages so far reflect. */
export type SubscribeMessage = { readonly revision: number } & (
  | { readonly kind: 'created'; readonly newestRevision: number; readonly compactRevision: number }
  | {
      readonly kind: 'batch';
      readonly events: readonly RecallEvent[];
      readonly isSnapshot: boolean;
      readonly isFragment: boolean;
      readonly degraded: readonly Degradation[];
    }
  | { readonly kind: 'progress' }
  | { readonly kind: 'draining' }
);

/** The conditions under which a change can alter the answer to the request, under the current policies. */
export async function standingQueryOf(
  deps: VisibilityDeps & { readonly clock: Clock },
  request: RecallRequest,
): Promise<StandingQuery> {
  const { namespace, text, embedding, minSimilarity, preset } = request;
  const filter = scopedFilter((await seenRequest(deps, request)).seen);
  return {
    namespace,
    kind: kindOf(request),
    filter,
    text,
    embedding,
    minSimilarity: minSimilarity ?? -1,
    seesTouches:
      (filter !== undefined && someFieldOf(filter, 'retrieval_count', 'last_access_time')) ||
      (preset !== undefined && seesAccess(resolvePreset(preset, deps.clock.nowUs()))),
    seesMoves: filter !== undefined && someFieldOf(filter, 'tier'),
  };
}

function kindOf(request: RecallRequest): StandingQuery['kind'] {
  const { text, embedding, example, similarToId, preset, nearTime, nearPlace, minSimilarity, neighborCount } = request;
  // Preceding hits influence a hit's score.
  if (request.diversity !== undefined) return 'ranked';
  const isRanked = text !== '' || example || similarToId !== undefined || preset || nearTime || nearPlace;
  // Neighbours of a hit are memories that the filter need not admit.
  if (isRanked || neighborCount > 0) return 'ranked';
  if (!embedding) return 'admitted';
  return minSimilarity === undefined ? 'ranked' : 'near';
}
