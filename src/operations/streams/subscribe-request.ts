import { RELEVANT_MIN } from '../../memory/relevance.ts';
import type { Degradation } from '../../recall/recall-engine.ts';
import type { RecallHit, RecallRequest } from '../recall/recall-request.ts';

export interface SubscribeRequest {
  readonly query: RecallRequest;
  readonly heartbeatMs: number;
  readonly batchMax: number;
  readonly batchBytesMax: number;
}

/** What a subscription to a text takes in by default: what is likely to answer it, not whatever is nearest. */
export function relevantOnly(query: RecallRequest): RecallRequest {
  if (query.text === '' || query.preset || query.minRelevance !== undefined) return query;
  return { ...query, minRelevance: RELEVANT_MIN };
}

export type RecallEvent =
  | { readonly kind: 'enter' | 'update'; readonly id: string; readonly hit: RecallHit; readonly place: number }
  | { readonly kind: 'leave'; readonly id: string };

/** `revision`: what has been told so far reflects it, at least. */
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
