import {
  type MessageBlock as BlockMessage,
  type ConversationMessage as MessageMessage,
  MessageRole as RoleNumber,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import {
  CONVERSATION_LIMITS,
  type ConversationMessage,
  type MessageBlock,
  type MessageDraft,
  type MessageRole,
  messageId,
  messageMemory,
} from '../../../memory/conversation.ts';
import { jsonFault } from '../../../memory/json.ts';
import { MEMORY_LIMITS } from '../../../memory/limits.ts';
import { WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import type { ConversationKey } from '../../operations/conversations/conversations.ts';
import { instantOf, memoryName, namespaceIn, type RequestChecks, timestampOf } from '../edge/request-checks.ts';
import { contentMessage, contentOf } from '../memories/memory-fields.ts';

const ROLES: Readonly<Record<number, MessageRole>> = {
  [RoleNumber.MESSAGE_ROLE_SYSTEM]: 'system',
  [RoleNumber.MESSAGE_ROLE_USER]: 'user',
  [RoleNumber.MESSAGE_ROLE_ASSISTANT]: 'assistant',
  [RoleNumber.MESSAGE_ROLE_TOOL]: 'tool',
};
const ROLE_NUMBERS: Readonly<Record<MessageRole, RoleNumber>> = {
  system: RoleNumber.MESSAGE_ROLE_SYSTEM,
  user: RoleNumber.MESSAGE_ROLE_USER,
  assistant: RoleNumber.MESSAGE_ROLE_ASSISTANT,
  tool: RoleNumber.MESSAGE_ROLE_TOOL,
};

/** Everything after `conversations/` is the id, including slashes. */
const CONVERSATION = /^(namespaces\/[^/]+)\/conversations\/(.+)$/s;
const { blocks: blocksMax, nameBytes, conversationBytes } = CONVERSATION_LIMITS;
const { textBytes, contentBytes } = MEMORY_LIMITS;

/** The conversation that a resource name leads to. */
export function conversationIn(checks: RequestChecks, field: string, name: string): ConversationKey {
  const [, parent = '', id = ''] = CONVERSATION.exec(name) ?? [];
  const namespace = namespaceIn(parent);
  if (namespace === undefined) {
    const shape = `must be namespaces/{namespace}/conversations/{id}, the id 1 to ${conversationBytes} bytes`;
    checks.add(field, `${shape}, got ${JSON.stringify(name.slice(0, 80).toWellFormed())}`);
    return { namespace: '', conversation: '' };
  }
  return { namespace, conversation: conversationId(checks, field, id) };
}

export function conversationId(checks: RequestChecks, field: string, id: string): string {
  return checks.text(field, id, conversationBytes, { plain: true });
}

export function conversationName({ namespace, conversation }: ConversationKey): string {
  return `namespaces/${namespace}/conversations/${conversation}`;
}

/** A message of a request; its number is read apart. */
export function messageDraftOf(checks: RequestChecks, field: string, message: MessageMessage): MessageDraft {
  const { role, name, blocks, eventTime } = message;
  if (blocks.length > blocksMax) checks.add(`${field}.blocks`, `must be at most ${blocksMax}, got ${blocks.length}`);
  const draft: MessageDraft = {
    role: checks.choice(`${field}.role`, role, ROLES),
    name: checks.text(`${field}.name`, name, nameBytes, { plain: true }),
    blocks: blocks.slice(0, blocksMax).map((block, at) => blockOf(checks, `${field}.blocks[${at}]`, block)),
    eventAtUs: eventTime && instantOf(checks, `${field}.event_time`, eventTime),
  };
  if (!checks.hasFound) checkSize(checks, field, draft);
  return draft;
}

/** Together the blocks are limited to the size of a memory's content. */
function checkSize(checks: RequestChecks, field: string, draft: MessageDraft): void {
  const { text, content } = messageMemory('', WHOLE_NAMESPACE, 0, draft);
  const all = Buffer.byteLength(text);
  if (all > textBytes) checks.add(`${field}.blocks`, `must have at most ${textBytes} bytes of text, got ${all}`);
  const bytes = content?.data.length ?? 0;
  if (bytes > contentBytes) {
    checks.add(
      `${field}.blocks`,
      `must have at most ${contentBytes} bytes in addition to texts, as JSON, got ${bytes}`,
    );
  }
}

function blockOf(checks: RequestChecks, field: string, { block }: BlockMessage): MessageBlock {
  if (block === undefined) {
    checks.add(field, 'must have text, tool_call, tool_result or data');
    return { kind: 'text', text: '' };
  }
  switch (block.$case) {
    case 'text':
      return { kind: 'text', text: checks.text(`${field}.text`, block.value, textBytes) };
    case 'toolCall': {
      const { id, name, argumentsJson } = block.value;
      const path = `${field}.tool_call`;
      if (name === '') checks.add(`${path}.name`, `must be 1 to ${nameBytes} bytes, got an empty text`);
      const fault = argumentsJson === '' ? undefined : jsonFault(argumentsJson);
      if (fault) checks.add(`${path}.arguments_json`, `must be JSON: ${fault.what} at position ${fault.position}`);
      return {
        kind: 'tool_call',
        id: checks.text(`${path}.id`, id, nameBytes),
        name: checks.text(`${path}.name`, name, nameBytes),
        argumentsJson: checks.text(`${path}.arguments_json`, argumentsJson, contentBytes),
      };
    }
    case 'toolResult': {
      const { callId, text, isError } = block.value;
      const path = `${field}.tool_result`;
      return {
        kind: 'tool_result',
        callId: checks.text(`${path}.call_id`, callId, nameBytes),
        text: checks.text(`${path}.text`, text, contentBytes),
        isError,
      };
    }
    case 'data':
      return { kind: 'data', content: contentOf(checks, `${field}.data`, block.value) };
  }
}

export function messageMessage(
  { namespace, conversation }: ConversationKey,
  { sequence, role, name, blocks, eventAtUs }: ConversationMessage,
): MessageMessage {
  return {
    sequence: BigInt(sequence),
    role: ROLE_NUMBERS[role],
    name,
    blocks: blocks.map(blockMessage),
    eventTime: timestampOf(eventAtUs),
    memory: memoryName(namespace, messageId(conversation, sequence)),
  };
}

function blockMessage(block: MessageBlock): BlockMessage {
  switch (block.kind) {
    case 'text':
      return { block: { $case: 'text', value: block.text } };
    case 'tool_call': {
      const { id, name, argumentsJson } = block;
      return { block: { $case: 'toolCall', value: { id, name, argumentsJson } } };
    }
    case 'tool_result': {
      const { callId, text, isError } = block;
      return { block: { $case: 'toolResult', value: { callId, text, isError } } };
    }
    case 'data':
      return { block: { $case: 'data', value: contentMessage(block.content) } };
  }
}
