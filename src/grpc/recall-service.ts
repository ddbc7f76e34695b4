import {
  RecallRequest,
  RecallResponse,
  RecallServiceService as Service,
} from '../../gen/ts/mneme/v1/recall_service.ts';
import { type RecallDeps, recall } from '../operations/recall.ts';
import { type Route, unary } from './handler.ts';
import { recallRequestOf, recallResponse } from './recall-messages.ts';

/** `proto/mneme/v1/recall_service.proto`. */
export function recallService(deps: RecallDeps): Route[] {
  return [
    unary(Service.recall, RecallRequest, RecallResponse, async (message, call) =>
      recallResponse(await recall(deps, recallRequestOf(message), call)),
    ),
  ];
}
