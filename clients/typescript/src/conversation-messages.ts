import {
  type MessageBlock as BlockMessage,
  type ConversationExtraction as ExtractionMessage,
  type ConversationMessage as MessageMessage,
  type SequenceRange as RangeMessage,
  MessageRole as RoleCode,
  ExtractionState as StateCode,
  type ExtractionStatus as StatusMessage,
} from '../../../gen/ts/mneme/v1/conversation_service.ts';
import { badInput, incompleteAnswer, integerOf } from './bad-input.ts';
import { contentMessage, contentOfMessage } from './content-messages.ts';
import type {
  ConversationExtraction,
  ConversationMessage,
  ExtractionState,
  ExtractionStatus,
  MessageBlock,
  MessageRole,
  NewConversationMessage,
  NewMessageBlock,
  SequenceRange,
} from './conversation-types.ts';
import { namespaceName, partsOfName } from './names.ts';
import { dateOf, PreciseDate, timestampOf } from './precise-date.ts';

const ROLE_CODES: Readonly<Record<MessageRole, RoleCode>> = {
  system: RoleCode.MESSAGE_ROLE_SYSTEM,
  user: RoleCode.MESSAGE_ROLE_USER,
  assistant: RoleCode.MESSAGE_ROLE_ASSISTANT,
  tool: RoleCode.MESSAGE_ROLE_TOOL,
};
const ROLES = new Map(Object.entries(ROLE_CODES).map(([role, code]) => [code, role as MessageRole]));

const STATES: ReadonlyMap<StateCode, ExtractionState> = new Map([
  [StateCode.EXTRACTION_STATE_IDLE, 'idle'],
  [StateCode.EXTRACTION_STATE_PENDING, 'pending'],
  [StateCode.EXTRACTION_STATE_EXTRACTING, 'extracting'],
  [StateCode.EXTRACTION_STATE_RETRYING, 'retrying'],
  [StateCode.EXTRACTION_STATE_FAILED, 'failed'],
]);

const CONVERSATIONS = '/conversations/';

/** Resource name of a conversation, from its id, which may hold slashes, or its full name. */
export function conversationName(namespace: string, idOrName: string): string {
  return idOrName.startsWith('namespaces/') ? idOrName : `${namespaceName(namespace)}${CONVERSATIONS}${idOrName}`;
}

/** Id of a conversation, from its id or its full name. */
export function conversationIdOf(idOrName: string): string {
  if (!idOrName.startsWith('namespaces/')) return idOrName;
  return idOrName.slice(idOrName.indexOf(CONVERSATIONS) + CONVERSATIONS.length);
}

export function messageMessage(message: NewConversationMessage, at: string): MessageMessage {
  const { role, text, blocks = [], name = '', sequence, eventTime } = message;
  if (text !== undefined && message.blocks !== undefined) {
    throw badInput(`${at}.text`, 'must be absent beside blocks');
  }
  if (text === '' || (text === undefined && blocks.every(isBlank))) {
    throw badInput(at, 'has no text, tool call, tool result or data: leave it out');
  }
  return {
    sequence: integerOf(sequence, `${at}.sequence`),
    role: roleCode(role, `${at}.role`),
    name,
    blocks:
      text === undefined
        ? blocks.map((block, index) => blockMessage(block, `${at}.blocks[${index}]`))
        : [textBlock(text)],
    eventTime: timestampOf(eventTime),
    memory: '',
  };
}

function roleCode(role: MessageRole, field: string): RoleCode {
  if (!Object.hasOwn(ROLE_CODES, role)) {
    throw badInput(field, `must be one of ${Object.keys(ROLE_CODES).join(', ')}, got ${JSON.stringify(role)}`);
  }
  return ROLE_CODES[role];
}

function isBlank(block: NewMessageBlock): boolean {
  return 'text' in block && block.text === '';
}

function textBlock(text: string): BlockMessage {
  return { block: { $case: 'text', value: text } };
}

function blockMessage(block: NewMessageBlock, at: string): BlockMessage {
  if ('text' in block) return textBlock(block.text);
  if ('toolCall' in block) {
    const { id = '', name, argumentsJson = '' } = block.toolCall;
    return { block: { $case: 'toolCall', value: { id, name, argumentsJson } } };
  }
  if ('toolResult' in block) {
    const { callId = '', text = '', isError = false } = block.toolResult;
    return { block: { $case: 'toolResult', value: { callId, text, isError } } };
  }
  if ('data' in block) return { block: { $case: 'data', value: contentMessage(block.data, `${at}.data`) } };
  throw badInput(at, 'must have one of text, toolCall, toolResult, data');
}

export function messageOf(message: MessageMessage | undefined): ConversationMessage {
  if (message === undefined) throw incompleteAnswer('message');
  const { sequence, role, name, blocks, eventTime, memory } = message;
  return {
    sequence: Number(sequence ?? 0n),
    role: ROLES.get(role) ?? 'other',
    name,
    blocks: blocks.flatMap(blockOf),
    eventTime: eventTime ? dateOf(eventTime) : new PreciseDate(0),
    memoryId: partsOfName(memory).id,
  };
}

/** A kind of block that this version of the client does not know is left out. */
function blockOf({ block }: BlockMessage): MessageBlock[] {
  if (block === undefined) return [];
  if (block.$case === 'text') return [{ text: block.value }];
  if (block.$case === 'toolCall') return [{ toolCall: block.value }];
  if (block.$case === 'toolResult') return [{ toolResult: block.value }];
  return [{ data: contentOfMessage(block.value) }];
}

export function rangeOf({ first, last }: RangeMessage): SequenceRange {
  return { first: Number(first), last: Number(last) };
}

export function extractionOf(message: ExtractionMessage): ConversationExtraction {
  const { conversation, state, pendingCount, lastExtractedSequence, attemptCount, nextAttemptTime, error } = message;
  return {
    conversation: conversationIdOf(conversation),
    state: STATES.get(state) ?? 'other',
    pendingCount,
    ...(lastExtractedSequence !== undefined && { lastExtractedSequence: Number(lastExtractedSequence) }),
    attemptCount,
    ...(nextAttemptTime && { nextAttemptTime: dateOf(nextAttemptTime) }),
    error,
    failed: message.failed.map(rangeOf),
  };
}

export function statusOf(message: StatusMessage | undefined): ExtractionStatus {
  if (message === undefined) throw incompleteAnswer('status');
  const { namespace, extractedRevision, revision, conversations, extractor, pendingCount, failedCount } = message;
  return {
    namespace: partsOfName(namespace).namespace,
    extractor,
    pendingCount,
    failedCount,
    conversations: conversations.map(extractionOf),
    extractedRevision: Number(extractedRevision),
    revision: Number(revision),
    degraded: message.degraded,
  };
}
