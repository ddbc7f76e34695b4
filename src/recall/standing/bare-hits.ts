import type { RecallQuery, RecallResult, ScoredHit } from '../recall-engine.ts';

/** Hits of which nothing is asked but which they are and their scores: as columns they pass between threads in a quarter of the time. */
export interface BareHits {
  readonly ids: readonly string[];
  readonly revisions: readonly number[];
  readonly scores: readonly number[];
}

export type BareResult = Omit<RecallResult, 'hits'> & { readonly hits: BareHits };

/** Whether hits of a query without words have nothing but what `BareHits` tell. */
export function isBare({
  text,
  explain,
  neighborCount,
}: Pick<RecallQuery, 'text' | 'explain' | 'neighborCount'>): boolean {
  return text === '' && !explain && neighborCount === 0;
}

export function toBare({ hits, ...result }: RecallResult): BareResult {
  const ids = hits.map(({ id }) => id);
  const revisions = hits.map(({ revision }) => revision);
  return { ...result, hits: { ids, revisions, scores: hits.map(({ score }) => score) } };
}

export function fromBare({ hits: { ids, revisions, scores }, ...result }: BareResult): RecallResult {
  const hits = ids.map(
    (id, at): ScoredHit => ({ ...NOTHING_ELSE, id, revision: revisions[at] ?? 0, score: scores[at] ?? 0 }),
  );
  return { ...result, hits };
}

const NOTHING_ELSE = { components: [], features: [], matchedTerms: [], isRestored: false, before: [], after: [] };
