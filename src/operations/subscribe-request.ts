import type { Degradation } from '../recall/recall-engine.ts';
import type { RecallHit, RecallRequest } from './recall-request.ts';

export interface SubscribeRequest {
  readonly query: RecallRequest;
  readonly heartbeatMs: number;
  readonly batchMax: number;
  readonly batchBytesMax: number;
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
