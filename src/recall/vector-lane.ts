import type { CandidateOptions } from './lanes.ts';
import type { NamespaceState } from './namespace-state.ts';
import type { RecallQuery } from './recall-engine.ts';
import { type NearText, nearestTexts } from './text-lane.ts';

/** Candidates that the lane gives: enough for the fusion, and for a filter that refuses some. */
const CANDIDATES_MIN = 100;

export interface VectorMatches {
  /** Nearest first. */
  readonly neighbors: readonly NearText[];
  /** True when there may be more than it was asked for. */
  readonly truncated: boolean;
}

/** The nearest of the vectors stored, or of those of the texts where the vector asked for is of the query's text. */
export function searchVectors(
  state: NamespaceState,
  { embedding, limit: hitLimit, exact, minSimilarity = -1 }: RecallQuery,
  { narrowed, excludedKey, widening, ownText, source, near }: CandidateOptions,
  isAllowed: (sequence: number) => boolean,
): VectorMatches {
  const { index, entry, columns } = state;
  const limit = Math.max(CANDIDATES_MIN, hitLimit) * widening;
  if (ownText) {
    const neighbors = nearestTexts(state, { ...ownText, source, limit, minSimilarity, narrowed, isAllowed });
    return { neighbors, truncated: neighbors.length >= limit };
  }
  if (near) {
    const allowed = near.filter(({ key }) => isAllowed(key - entry.firstKey));
    return { neighbors: allowed.slice(0, limit), truncated: allowed.length > limit };
  }
  if (!index || !embedding) return { neighbors: [], truncated: false };
  const isOpen = !narrowed && excludedKey === undefined && !columns.hasHidden;
  const neighbors = index.search(embedding.values, limit, {
    exact,
    ...(isOpen ? {} : { admits: (key: number) => isAllowed(key - entry.firstKey) }),
    ...(narrowed ? { candidates: narrowed } : {}),
  });
  return { neighbors, truncated: neighbors.length >= limit && limit < index.size };
}
