import * as c from '../../gen/ts/mneme/v1/conversation_service.ts';
import { unary } from './connect.ts';

const conversations = 'mneme.v1.ConversationService';
export const listMessages = unary(`${conversations}/ListMessages`, c.ListMessagesRequest, c.ListMessagesResponse);
export const getExtractionStatus = unary(
  `${conversations}/GetExtractionStatus`,
  c.GetExtractionStatusRequest,
  c.GetExtractionStatusResponse,
);
export const retryExtraction = unary(
  `${conversations}/RetryExtraction`,
  c.RetryExtractionRequest,
  c.RetryExtractionResponse,
);
