import * as k from '../../gen/ts/mneme/v1/knowledge_service.ts';
import { unary } from './connect.ts';

const knowledge = 'mneme.v1.KnowledgeService';
export const listFacts = unary(`${knowledge}/ListFacts`, k.ListFactsRequest, k.ListFactsResponse);
export const listFactHistory = unary(
  `${knowledge}/ListFactHistory`,
  k.ListFactHistoryRequest,
  k.ListFactHistoryResponse,
);
export const undoSupersession = unary(
  `${knowledge}/UndoSupersession`,
  k.UndoSupersessionRequest,
  k.UndoSupersessionResponse,
);
export const forgetFacts = unary(`${knowledge}/ForgetFacts`, k.ForgetFactsRequest, k.ForgetFactsResponse);
