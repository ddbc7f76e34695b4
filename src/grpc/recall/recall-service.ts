import {
  ListRecallPresetsRequest,
  ListRecallPresetsResponse,
  RecallRequest,
  RecallResponse,
  RecallServiceService as Service,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { answerRecall } from '../../operations/recall/answer-recall.ts';
import type { RecallStreamDeps } from '../../operations/recall/recall-stream.ts';
import { requireVectors } from '../../operations/recall/require-vectors.ts';
import { type Route, unary } from '../edge/handler.ts';
import { presetsResponse } from './preset-messages.ts';
import { recallRequestOf, recallResponse } from './recall-messages.ts';
import { recallStreamMethod } from './recall-stream-method.ts';

/** `proto/mneme/v1/recall_service.proto`. */
export function recallService(deps: RecallStreamDeps): Route[] {
  const bytesMax = deps.limits.find(({ name }) => name === 'max_response_bytes')?.value ?? Number.POSITIVE_INFINITY;
  return [
    unary(Service.recall, RecallRequest, RecallResponse, async (message, call) => {
      const request = recallRequestOf(message);
      await requireVectors(deps, request);
      return recallResponse(request.namespace, await answerRecall(deps, { ...request, bytesMax }, call));
    }),
    recallStreamMethod(deps, bytesMax),
    unary(Service.listRecallPresets, ListRecallPresetsRequest, ListRecallPresetsResponse, presetsResponse),
  ];
}
