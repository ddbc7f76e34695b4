import {
  RecallServiceService as methods,
  type RecallMerged,
  RecallStreamRequest,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Connection } from './connection.ts';
import { laneOf, tierOf } from './enums.ts';
import type { Tier } from './memory.ts';
import { partsOfName } from './names.ts';
import type { ReadOptions } from './options.ts';
import { hitOf, requestOf } from './recall-messages.ts';
import type { RecallHit, RecallQuery, RecallResult } from './recall-types.ts';

/** Events of a streamed recall: the hits of each tier, and last the answer. */
export type RecallStreamEvent =
  /** All hits of the tier found so far, best first; they replace those of earlier events. */
  | { readonly kind: 'hits'; readonly tier: Tier; readonly hits: readonly RecallHit[] }
  /** The answer of `recall`. Last. */
  | { readonly kind: 'merged'; readonly answer: RecallResult };

export interface RecallStreamCalls {
  /** Recalls, yielding the hits of each tier, and finally all of them in one order. */
  recallStream(query: string | RecallQuery, options?: ReadOptions): AsyncGenerator<RecallStreamEvent, void, undefined>;
}

export function recallStreamCalls(connection: Connection, namespace: string): RecallStreamCalls {
  return {
    async *recallStream(query, options = {}) {
      const asked = requestOf(typeof query === 'string' ? { text: query } : query, namespace);
      const request = RecallStreamRequest.fromPartial({
        query: { ...asked, minRevision: connection.minRevision(options) },
      });
      const told = new Map<Tier, readonly RecallHit[]>();
      const limits = { timeoutMs: connection.recallTimeoutMs, ...options };
      for await (const { part } of connection.readStream(methods.recallStream, request, limits)) {
        switch (part?.$case) {
          case 'hits': {
            const { continued, hits } = part.value;
            const tier = tierOf(part.value.tier);
            told.set(tier, [...(continued ? (told.get(tier) ?? []) : []), ...hits.map(hitOf)]);
            yield { kind: 'hits', tier, hits: told.get(tier) ?? [] };
            break;
          }
          case 'merged':
            yield { kind: 'merged', answer: answerOf(connection, part.value, [...told.values()].flat()) };
            break;
          case undefined:
        }
      }
    },
  };
}

function answerOf(connection: Connection, merged: RecallMerged, told: readonly RecallHit[]): RecallResult {
  const { order, passages, lanes, promoted, damaged, revision, ...rest } = merged;
  const byName = new Map(told.map((hit) => [hit.memory.name, hit]));
  const idOf = (name: string): string => partsOfName(name).id;
  return {
    degraded: rest.degraded,
    candidateCount: rest.candidateCount,
    lowRelevanceCount: rest.lowRelevanceCount,
    tokenCount: rest.tokenCount,
    hits: order.flatMap(({ name, tier, score }) => {
      const hit = byName.get(name);
      return hit ? [{ ...hit, score, memory: { ...hit.memory, tier: tierOf(tier) } }] : [];
    }),
    lanes: lanes.map(laneOf),
    passages: passages.map(({ names, ...passage }) => ({ ...passage, ids: names.map(idOf) })),
    promotedIds: promoted.map(idOf),
    damagedIds: damaged.map(idOf),
    revision: connection.seen(revision),
  };
}
