import {
  type ConversationExtraction,
  ExtractionState,
  FlushRequest,
  FlushResponse,
  GetExtractionStatusRequest,
  GetExtractionStatusResponse,
  RetryExtractionRequest,
  RetryExtractionResponse,
  ConversationServiceService as Service,
  type ExtractionStatus as StatusMessage,
  WatchExtractionRequest,
  WatchExtractionResponse,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import type { ConversationKey } from '../../operations/conversations/conversations.ts';
import type { ConversationStatus, ExtractionStatus } from '../../operations/extraction/extraction-status.ts';
import { type WatchExtractionDeps, watchExtraction } from '../../operations/extraction/watch-extraction.ts';
import { type Route, serverStream, unary } from '../edge/handler.ts';
import { namespaceName, optionalTimestamp, RequestChecks, spanOf } from '../edge/request-checks.ts';
import { rangeMessage } from './conversation-service.ts';
import { conversationId, conversationName } from './message-fields.ts';

const STATES: Readonly<Record<ConversationStatus['state'], ExtractionState>> = {
  idle: ExtractionState.EXTRACTION_STATE_IDLE,
  pending: ExtractionState.EXTRACTION_STATE_PENDING,
  extracting: ExtractionState.EXTRACTION_STATE_EXTRACTING,
  retrying: ExtractionState.EXTRACTION_STATE_RETRYING,
  failed: ExtractionState.EXTRACTION_STATE_FAILED,
};
const INTERVAL_MS = { fallback: 1000, min: 100, max: 60_000 };

/** The methods of `proto/mneme/v1/conversation_service.proto` that are about extraction. */
export function extractionMethods(deps: WatchExtractionDeps): Route[] {
  const { extractions } = deps;
  return [
    unary(Service.flush, FlushRequest, FlushResponse, async (message, call) => {
      const key = keyOf(message);
      const { isComplete, conversations, pendingCount, degraded } = await extractions.flush(key, call);
      return {
        complete: isComplete,
        conversations: conversations.map((one) => conversationMessage(key, one)),
        pendingCount,
        degraded,
      };
    }),
    unary(
      Service.getExtractionStatus,
      GetExtractionStatusRequest,
      GetExtractionStatusResponse,
      async (message, call) => {
        const key = keyOf(message);
        return { status: statusMessage(key, await extractions.status(key, call)) };
      },
      { whenAbsent: () => GetExtractionStatusResponse.fromPartial({ status: {} }) },
    ),
    serverStream(
      Service.watchExtraction,
      WatchExtractionRequest,
      WatchExtractionResponse,
      async function* (message, call) {
        const checks = new RequestChecks();
        const { fallback } = INTERVAL_MS;
        const intervalMs = message.interval ? spanOf(checks, 'interval', message.interval, INTERVAL_MS) : fallback;
        const key = keyOf(message, checks);
        for await (const status of watchExtraction(deps, key, intervalMs, call)) {
          yield { status: statusMessage(key, status) };
        }
      },
    ),
    unary(Service.retryExtraction, RetryExtractionRequest, RetryExtractionResponse, async (message, call) => ({
      retriedCount: await extractions.retry(keyOf(message), call),
    })),
  ];
}

/** An empty conversation selects the whole namespace. */
function keyOf(
  { parent, conversation }: { readonly parent: string; readonly conversation: string },
  checks = new RequestChecks(),
): ConversationKey {
  const key = {
    namespace: checks.namespace('parent', parent),
    conversation: conversationId(checks, 'conversation', conversation),
  };
  checks.finish();
  return key;
}

function statusMessage(key: ConversationKey, status: ExtractionStatus): StatusMessage {
  const { extractor, pendingCount, failedCount, conversations, extractedRevision, newestRevision, degraded } = status;
  return {
    namespace: namespaceName(key.namespace),
    extractor,
    pendingCount,
    failedCount,
    conversations: conversations.map((one) => conversationMessage(key, one)),
    extractedRevision: BigInt(extractedRevision),
    revision: BigInt(newestRevision),
    degraded,
  };
}

function conversationMessage({ namespace }: ConversationKey, status: ConversationStatus): ConversationExtraction {
  const { conversation, state, pendingCount, lastExtracted, attempts, nextAttemptAtUs, error, failed } = status;
  return {
    conversation: conversationName({ namespace, conversation }),
    state: STATES[state],
    pendingCount,
    lastExtractedSequence: lastExtracted === undefined ? undefined : BigInt(lastExtracted),
    attemptCount: attempts,
    nextAttemptTime: optionalTimestamp(nextAttemptAtUs),
    error,
    failed: failed.map(rangeMessage),
  };
}
