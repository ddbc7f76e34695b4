import { badInput } from './bad-input.ts';
import { optionFault } from './check-options.ts';
import type { ContextMessage } from './context-types.ts';
import type { MessageLike, NewConversationMessage, NewMessageBlock } from './conversation-types.ts';
import { MESSAGE_KEYS, messageFrom } from './message-content.ts';
import { textOf } from './message-parts.ts';
import { nearestOf } from './nearest-name.ts';

/** Keys of messages of models that are about the call or the transport, not about what was said. */
const ABOUT_THE_CALL: ReadonlySet<string> = new Set([
  ...['id', 'object', 'status', 'phase', 'index', 'model', 'usage', 'metadata', 'annotations', 'logprobs'],
  ...['stop_reason', 'stop_sequence', 'finish_reason', 'providerOptions', 'providerMetadata', 'response_metadata'],
  ...[
    'usage_metadata',
    'additional_kwargs',
    'invalid_tool_calls',
    'lc',
    'lc_kwargs',
    'lc_namespace',
    'lc_serializable',
  ],
  ...['cache_control', 'encrypted_content'],
]);

/**
 * The message of Mneme for a message of any program. Parts without text, such as images, become a block that names their
 * kind; keys that are not read are refused.
 */
export function messageIn(value: MessageLike, at: string): NewConversationMessage {
  if (isOwn(value)) return value;
  const { message, skipped, unreadKeys, unreadableTime } = messageFrom(value, at);
  const [unread] = unreadKeys.filter((key) => !ABOUT_THE_CALL.has(key));
  if (unread !== undefined) throw badInput(`${at}.${unread}`, unreadText(unread));
  if (unreadableTime !== undefined) throw badInput(at, `has no time that can be read, got ${unreadableTime}`);
  const { text, blocks = text === undefined ? [] : [{ text }], ...rest } = message;
  const omitted = skipped.map((kind): NewMessageBlock => ({ data: { omitted: kind } }));
  return { ...rest, blocks: [...blocks, ...omitted] };
}

/** The message for a context; none where the message has no text. */
export function contextMessage(value: ContextMessage | MessageLike, at: string): ContextMessage[] {
  if (optionFault('ContextMessage', value) === undefined) return [value as ContextMessage];
  const { role, text, blocks = [] } = messageIn(value as MessageLike, at);
  const all = text ?? textOf(blocks);
  return all === '' ? [] : [{ role, text: all }];
}

function isOwn(value: MessageLike): value is NewConversationMessage {
  return optionFault('NewConversationMessage', value) === undefined;
}

function unreadText(key: string): string {
  const nearest = nearestOf(key, MESSAGE_KEYS);
  const hint = nearest === undefined ? '' : `, did you mean ${nearest}?`;
  return `unknown key of a message${hint || ';'} known are role, content, text, blocks, name, eventTime, sequence, and those of OpenAI, Anthropic, Vercel and LangChain`;
}
