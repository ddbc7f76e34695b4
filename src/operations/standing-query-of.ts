import type { Filter, MemoryField } from '../memory/filter.ts';
import { scopedFilter } from '../memory/scoped-filter.ts';
import { someComparison } from '../memory/some-comparison.ts';
import type { StandingQuery } from '../recall/standing/standing-query.ts';
import type { RecallRequest } from './recall-request.ts';

/** What decides whether a change can alter the answer to the request. */
export function standingQueryOf(request: RecallRequest): StandingQuery {
  const { namespace, text, embedding, minSimilarity } = request;
  const filter = scopedFilter(request);
  return {
    namespace,
    kind: kindOf(request),
    ...(filter ? { filter } : {}),
    text,
    ...(embedding ? { embedding } : {}),
    minSimilarity: minSimilarity ?? -1,
    seesTouches: filter !== undefined && looksAt(filter, 'retrieval_count', 'last_access_time'),
    seesMoves: filter !== undefined && looksAt(filter, 'tier'),
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

function looksAt(filter: Filter, ...fields: readonly MemoryField[]): boolean {
  return someComparison(filter, ({ target }) => target.kind === 'field' && fields.includes(target.field));
}
