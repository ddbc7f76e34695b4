import { BuildContextRequest, BuildContextResponse } from '../../gen/ts/mneme/v1/context_service.ts';
import { RecallRequest, RecallResponse } from '../../gen/ts/mneme/v1/recall_service.ts';
import { unary } from './connect.ts';

export const recall = unary('mneme.v1.RecallService/Recall', RecallRequest, RecallResponse);
export const buildContext = unary('mneme.v1.ContextService/BuildContext', BuildContextRequest, BuildContextResponse);
