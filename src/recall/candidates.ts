import { MnemeError } from '../memory/errors.ts';
import { CandidateSearch } from './candidate-search.ts';
import type { KeywordIndex } from './keyword-index.ts';
import type { CandidateOptions, Lanes } from './lanes.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { RecallLane, RecallQuery } from './recall-engine.ts';

/** Asks every lane that the query calls for, and the filter alone when it calls for none. */
export function findCandidates(
  state: NamespaceState,
  query: RecallQuery,
  keywords: KeywordIndex,
  options: CandidateOptions,
): Lanes {
  const search = new CandidateSearch(state, query, options);
  const hasText = query.text !== '' && query.weights.keyword > 0;
  const hasVector = (query.embedding ?? options.ownText) !== undefined && query.weights.vector > 0;
  const failures: unknown[] = [];
  const attempt = (part: RecallLane, lane: () => void): void => {
    try {
      lane();
      search.searched.push(part);
    } catch (error) {
      if (error instanceof MnemeError && error.reason === 'DEADLINE_EXCEEDED') throw error;
      options.onFault(part, error);
      failures.push(error);
      search.degraded.push({ part, reason: `the ${part} lane failed; the server's log has the details` });
    }
  };
  const { nearTime, nearPlace, weights } = query;
  const hasTime = nearTime !== undefined && (weights.time ?? 0) > 0;
  const hasPlace = nearPlace !== undefined && (weights.place ?? 0) > 0;
  const isByOwnVector = hasVector && !search.isInLearnedOrder;
  const isAlone = !isByOwnVector && !hasTime && !hasPlace;
  if (hasText) attempt('keyword', () => search.byKeywords(keywords, isAlone));
  if (isByOwnVector) attempt('vector', () => search.byVector());
  else if (hasVector) search.searched.push('vector');
  if (hasTime) attempt('time', () => search.byTime(nearTime));
  if (hasPlace) attempt('place', () => search.byPlace(nearPlace));
  if (!hasText && !hasVector && !hasTime && !hasPlace) attempt('filter', () => search.byFilter());
  if (search.searched.length === 0) throw failures[0];
  return search;
}
