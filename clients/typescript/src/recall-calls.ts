import { RecallServiceService as methods } from '../../../gen/ts/mneme/v1/recall_service.ts';
import type { Connection } from './connection.ts';
import { laneOf } from './enums.ts';
import { partsOfName } from './names.ts';
import type { CallOptions, ReadOptions } from './options.ts';
import { hitOf, requestOf } from './recall-messages.ts';
import type { RecallPresetDescription } from './recall-presets.ts';
import type { RecallQuery, RecallResult } from './recall-types.ts';

/** RecallService. */
export interface RecallCalls {
  /** The most relevant memories for a cue: a text, or any combination of `RecallQuery`. */
  recall(query: string | RecallQuery, options?: ReadOptions): Promise<RecallResult>;
  /** The presets for `RecallQuery.preset`, with their parameters. */
  listRecallPresets(options?: CallOptions): Promise<readonly RecallPresetDescription[]>;
}

export function recallService(connection: Connection, namespace: string): RecallCalls {
  return {
    async recall(query, options = {}) {
      const request = requestOf(typeof query === 'string' ? { text: query } : query, namespace);
      const answer = await connection.unary(
        methods.recall,
        { ...request, minRevision: connection.minRevision(options) },
        { timeoutMs: connection.recallTimeoutMs, ...options },
      );
      return {
        hits: answer.hits.map(hitOf),
        lanes: answer.lanes.map(laneOf),
        degraded: answer.degraded,
        candidateCount: answer.candidateCount,
        lowRelevanceCount: answer.lowRelevanceCount,
        passages: answer.passages.map(({ names, ...passage }) => ({
          ...passage,
          ids: names.map((name) => partsOfName(name).id),
        })),
        tokenCount: answer.tokenCount,
        promotedIds: answer.promoted.map((name) => partsOfName(name).id),
        damagedIds: answer.damaged.map((name) => partsOfName(name).id),
        revision: connection.seen(answer.revision),
      };
    },

    async listRecallPresets(options = {}) {
      const answer = await connection.unary(methods.listRecallPresets, {}, options);
      return answer.presets;
    },
  };
}
