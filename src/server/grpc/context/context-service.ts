import {
  BuildContextRequest,
  BuildContextResponse,
  ContextServiceService as Service,
} from '../../../../gen/ts/mneme/v1/context_service.ts';
import { buildContext, type ContextDeps } from '../../operations/context/build-context.ts';
import { type Route, unary } from '../edge/handler.ts';
import { contextRequestOf, contextResponse } from './context-messages.ts';

/** `proto/mneme/v1/context_service.proto`. */
export function contextService(deps: ContextDeps): Route[] {
  return [
    unary(Service.buildContext, BuildContextRequest, BuildContextResponse, async (message, call) => {
      const request = contextRequestOf(message);
      return contextResponse(request, await buildContext(deps, request, call));
    }),
  ];
}
