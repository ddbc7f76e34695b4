import type { Clock } from '../../memory/clock.ts';
import { scopedFilter } from '../../memory/scoped-filter.ts';
import { someFieldOf } from '../../memory/some-comparison.ts';
import { resolvePreset } from '../../recall/presets/resolve-preset.ts';
import { seesAccess } from '../../recall/presets/sees-access.ts';
import type { StandingQuery } from '../../recall/standing/standing-query.ts';
import type { RecallRequest } from '../recall/recall-request.ts';
import { type SightDeps, seenRequest } from '../recall/seen-request.ts';

/** What decides whether a change can alter the answer to the request, as things are now. */
export async function standingQueryOf(
  deps: SightDeps & { readonly clock: Clock },
  request: RecallRequest,
): Promise<StandingQuery> {
  const { namespace, text, embedding, minSimilarity, preset } = request;
  const filter = scopedFilter((await seenRequest(deps, request)).seen);
  return {
    namespace,
    kind: kindOf(request),
    ...(filter ? { filter } : {}),
    text,
    ...(embedding ? { embedding } : {}),
    minSimilarity: minSimilarity ?? -1,
    seesTouches:
      (filter !== undefined && someFieldOf(filter, 'retrieval_count', 'last_access_time')) ||
      (preset !== undefined && seesAccess(resolvePreset(preset, deps.clock.nowUs()))),
    seesMoves: filter !== undefined && someFieldOf(filter, 'tier'),
  };
}

function kindOf(request: RecallRequest): StandingQuery['kind'] {
  const { text, embedding, example, similarToId, preset, nearTime, nearPlace, minSimilarity, neighborCount } = request;
  // What stands above a hit decides on its score.
  if (request.diversity !== undefined) return 'ranked';
  const isRanked = text !== '' || example || similarToId !== undefined || preset || nearTime || nearPlace;
  // Neighbours of a hit are memories that the filter need not admit.
  if (isRanked || neighborCount > 0) return 'ranked';
  if (!embedding) return 'admitted';
  return minSimilarity === undefined ? 'ranked' : 'near';
}
