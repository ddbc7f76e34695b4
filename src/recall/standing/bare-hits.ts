import type { RecallQuery, RecallResult, ScoredHit } from '../recall-engine.ts';
import type { Evaluated } from './standing-query.ts';

/** Hits of which only ids and scores are asked: as columns they pass between threads in less than half of the time. */
interface BareHits {
  readonly ids: readonly string[];
  readonly revisions: readonly number[];
  readonly scores: readonly number[];
  readonly relevances: readonly number[];
}

/** What the thread that recalls sends for an evaluation. */
export type SentEvaluated = Evaluated | { readonly bare: BareResult };

type BareResult = Omit<RecallResult, 'hits'> & { readonly hits: BareHits };

const NOTHING_ELSE = { components: [], features: [], matchedTerms: [], isRestored: false, before: [], after: [] };

export function toSent(
  query: Pick<RecallQuery, 'text' | 'explain' | 'neighborCount'>,
  answer: RecallResult,
): SentEvaluated {
  if (query.text !== '' || query.explain || query.neighborCount > 0) return { answer };
  const { hits, ...result } = answer;
  const ids = hits.map(({ id }) => id);
  const revisions = hits.map(({ revision }) => revision);
  return {
    bare: {
      ...result,
      hits: {
        ids,
        revisions,
        scores: hits.map(({ score }) => score),
        relevances: hits.map(({ relevance }) => relevance),
      },
    },
  };
}

export function fromSent(sent: SentEvaluated): Evaluated {
  if (!('bare' in sent)) return sent;
  const { hits, ...result } = sent.bare;
  const { revisions, scores, relevances } = hits;
  const found = hits.ids.map((id, at): ScoredHit => {
    return {
      ...NOTHING_ELSE,
      id,
      revision: revisions[at] ?? 0,
      score: scores[at] ?? 0,
      relevance: relevances[at] ?? 0,
    };
  });
  return { answer: { ...result, hits: found } };
}
