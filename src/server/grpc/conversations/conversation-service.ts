import {
  AppendMessagesRequest,
  AppendMessagesResponse,
  ClearMessagesRequest,
  ClearMessagesResponse,
  ListMessagesRequest,
  ListMessagesResponse,
  type ConversationMessage as MessageMessage,
  PopMessageRequest,
  PopMessageResponse,
  ReplaceSuffixRequest,
  ReplaceSuffixResponse,
  ConversationServiceService as Service,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import type { Scope as ScopeMessage } from '../../../../gen/ts/mneme/v1/memory.ts';
import { CONVERSATION_LIMITS } from '../../../memory/conversation.ts';
import type { Scope } from '../../../memory/memory.ts';
import type { ListPosition } from '../../../storage/records.ts';
import {
  type AppendRequest,
  appendMessages,
  type SequenceRange,
} from '../../operations/conversations/append-messages.ts';
import {
  type ConversationDeps,
  type ListMessagesRead,
  listMessages,
} from '../../operations/conversations/conversations.ts';
import {
  clearMessages,
  popMessage,
  type ReplaceSuffixRequest as ReplaceRequest,
  replaceSuffix,
  SUFFIX_MAX,
} from '../../operations/conversations/remove-messages.ts';
import { type Route, unary } from '../edge/handler.ts';
import { type PageQuery, pageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { memoryName, RequestChecks } from '../edge/request-checks.ts';
import { scopeOf } from '../memories/memory-fields.ts';
import type { RequestLimits } from '../memories/memory-requests.ts';
import { conversationIn, messageDraftOf, messageMessage } from './message-fields.ts';

const PAGE_DEFAULT = 100;
const { messagesPerCall } = CONVERSATION_LIMITS;

/** The methods of `proto/mneme/v1/conversation_service.proto` that read and change messages. */
export function conversationService(deps: ConversationDeps, limits: RequestLimits): Route[] {
  return [
    unary(Service.appendMessages, AppendMessagesRequest, AppendMessagesResponse, async (message, call) => {
      const request = appendRequestOf(message);
      const { appended, gaps, outcome } = await appendMessages(deps, request, call);
      return {
        messages: appended.map(({ sequence, id, isRepetition }) => ({
          sequence: BigInt(sequence),
          memory: memoryName(request.namespace, id),
          alreadyStored: isRepetition,
        })),
        gaps: gaps.map(rangeMessage),
        revision: BigInt(outcome.revision),
      };
    }),
    unary(
      Service.listMessages,
      ListMessagesRequest,
      ListMessagesResponse,
      async (message, call) => {
        const { request, query } = listRequestOf(message, limits);
        const { messages, damagedIds, next, revision } = await listMessages(deps, request, call);
        return {
          messages: messages.map((one) => messageMessage(request, one)),
          nextPageToken: next ? pageToken(query, next) : '',
          revision: BigInt(revision),
          damaged: damagedIds.map((id) => memoryName(request.namespace, id)),
        };
      },
      { whenAbsent: () => ListMessagesResponse.fromPartial({ revision: BigInt(deps.store.revision) }) },
    ),
    unary(Service.popMessage, PopMessageRequest, PopMessageResponse, async (message, call) => {
      const checks = new RequestChecks();
      const key = conversationIn(checks, 'conversation', message.conversation);
      const { expectedSequence: expected } = message;
      const expectedSequence = expected === undefined ? expected : checks.wholeWithin('expected_sequence', expected);
      checks.finish();
      const popped = await popMessage(deps, { ...key, expectedSequence }, call);
      return { message: messageMessage(key, popped.message), revision: BigInt(popped.revision) };
    }),
    unary(Service.replaceSuffix, ReplaceSuffixRequest, ReplaceSuffixResponse, async (message, call) => {
      const { replacedCount, lastSequence, revision } = await replaceSuffix(deps, replaceRequestOf(message), call);
      return {
        replacedCount,
        lastSequence: lastSequence === undefined ? undefined : BigInt(lastSequence),
        revision: BigInt(revision),
      };
    }),
    unary(Service.clearMessages, ClearMessagesRequest, ClearMessagesResponse, async (message, call) => {
      const checks = new RequestChecks();
      const key = conversationIn(checks, 'conversation', message.conversation);
      checks.finish();
      const { clearedCount, revision } = await clearMessages(deps, key, call);
      return { clearedCount, revision: BigInt(revision) };
    }),
  ];
}

export function rangeMessage({ first, last }: SequenceRange) {
  return { first: BigInt(first), last: BigInt(last) };
}

function appendRequestOf(message: AppendMessagesRequest): AppendRequest {
  const checks = new RequestChecks();
  const { length } = message.messages;
  if (length < 1 || length > messagesPerCall) checks.add('messages', `must be 1 to ${messagesPerCall}, got ${length}`);
  const given = message.messages.slice(0, messagesPerCall);
  const sequences = sequencesOf(checks, given);
  const request = {
    ...conversationIn(checks, 'conversation', message.conversation),
    scope: ownerOf(checks, message.scope),
    messages: given.map((one, at) => messageDraftOf(checks, `messages[${at}]`, one)),
    endsInvocation: message.endOfInvocation,
  };
  checks.finish();
  return sequences ? { ...request, sequences } : request;
}

/** Numbers of the messages, which increase; `undefined` where the server is to number them. */
function sequencesOf(checks: RequestChecks, messages: readonly MessageMessage[]): number[] | undefined {
  const numbered = messages.filter(({ sequence }) => sequence !== undefined).length;
  if (numbered === 0) return undefined;
  let before = -1;
  return messages.map(({ sequence }, at) => {
    const field = `messages[${at}].sequence`;
    if (sequence === undefined) {
      checks.add(field, 'must be set, as that of other messages of the request is');
      return 0;
    }
    const number = checks.wholeWithin(field, sequence);
    if (number <= before)
      checks.add(field, `must be greater than that of the previous message, ${before}, got ${number}`);
    before = number;
    return number;
  });
}

/** Owner of messages: a scope whose session is that of the conversation. */
function ownerOf(checks: RequestChecks, message: ScopeMessage | undefined): Scope {
  const scope = scopeOf(checks, 'scope', message);
  if (scope.session !== '') checks.add('scope.session', 'must be empty: it is the id of the conversation');
  return scope;
}

function listRequestOf(
  message: ListMessagesRequest,
  { maxPageSize, maxPageBytes }: RequestLimits,
): { readonly request: ListMessagesRead; readonly query: PageQuery } {
  const checks = new RequestChecks();
  const request: ListMessagesRead = {
    ...conversationIn(checks, 'conversation', message.conversation),
    fromSequence: checks.wholeWithin('from_sequence', message.fromSequence),
    order: message.descending ? 'step_desc' : 'step_asc',
    limit: checks.pageSize(message.pageSize, PAGE_DEFAULT, maxPageSize),
    bytesMax: maxPageBytes,
    minRevision: checks.wholeWithin('min_revision', message.minRevision),
  };
  checks.finish();
  const repeated = { ...message, pageSize: 0, pageToken: '', minRevision: 0n };
  const query = pageQuery(Service.listMessages.path, ListMessagesRequest, repeated);
  const after = positionIn<ListPosition>(query, message.pageToken);
  return { request: after ? { ...request, after } : request, query };
}

function replaceRequestOf(message: ReplaceSuffixRequest): ReplaceRequest {
  const checks = new RequestChecks();
  const { messages, requestId, expectedCount } = message;
  if (messages.length > SUFFIX_MAX) checks.add('messages', `must be at most ${SUFFIX_MAX}, got ${messages.length}`);
  if (requestId === '') checks.add('request_id', 'must be set: it is the id of the operation');
  const given = messages.slice(0, SUFFIX_MAX);
  for (const [at, { sequence }] of given.entries()) {
    if (sequence !== undefined)
      checks.add(`messages[${at}].sequence`, 'must be empty: the server numbers the messages');
  }
  const request = {
    ...conversationIn(checks, 'conversation', message.conversation),
    firstSequence: checks.wholeWithin(
      'first_sequence',
      message.firstSequence,
      BigInt(Number.MAX_SAFE_INTEGER - SUFFIX_MAX),
    ),
    expectedCount: checks.within('expected_count', expectedCount, 0, SUFFIX_MAX),
    scope: ownerOf(checks, message.scope),
    messages: given.map((one, at) => messageDraftOf(checks, `messages[${at}]`, one)),
  };
  checks.finish();
  return request;
}
