import { badInput } from './bad-input.ts';
import type { MessageRole, NewConversationMessage, NewMessageBlock } from './conversation-types.ts';
import {
  type Fields,
  firstText,
  messageParts,
  objectIn,
  textOf,
  toolCallBlock,
  toolResultBlock,
} from './message-parts.ts';
import { messageTime } from './message-time.ts';

/** A message whose time, if it has one, was read. */
export type TimedMessage = NewConversationMessage & { readonly eventTime?: Date };

/** A message that was read from the shape of another program. */
export interface MessageFrom {
  readonly message: TimedMessage;
  /** Kinds of the parts that hold no text, one for each part, such as `image` or `audio`. */
  readonly skipped: readonly string[];
  /** Keys with a value that are not read. */
  readonly unreadKeys: readonly string[];
  /** A time that cannot be read, as it is written; `message` has none then. */
  readonly unreadableTime?: string;
}

const ROLES: Readonly<Record<string, MessageRole>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  bot: 'assistant',
  chatbot: 'assistant',
  gpt: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};
/** Roles of items of the Responses API, which have a type alone. */
const ROLES_OF_TYPES: Readonly<Record<string, MessageRole>> = {
  function_call: 'assistant',
  custom_tool_call: 'assistant',
  reasoning: 'assistant',
  function_call_output: 'tool',
  custom_tool_call_output: 'tool',
};

/** Keys of such items. */
const KEYS_OF_ITEMS = new Set(['call_id', 'arguments', 'output', 'summary', 'input', 'content']);

const NAME_KEYS = ['name', 'speaker', 'username', 'author', 'sender', 'from'];
/** Parts come first: a program that writes both repeats the texts of its parts in `content`. */
const BODY_KEYS = ['blocks', 'parts', 'content', 'text', 'value', 'message'];
const TIME_KEYS = [
  'time',
  'timestamp',
  'eventTime',
  'event_time',
  'created_at',
  'createdAt',
  'create_time',
  'createTime',
  'created',
  'ts',
  'date',
  'datetime',
  'sent_at',
  'sentAt',
];

/** Keys of a message that are read, for "did you mean". */
export const MESSAGE_KEYS: readonly string[] = [
  'role',
  ...NAME_KEYS,
  ...BODY_KEYS,
  ...TIME_KEYS,
  'sequence',
  'type',
  'data',
  'kwargs',
  'refusal',
  'audio',
  'attachments',
  'files',
  'tool_calls',
  'toolInvocations',
  'function_call',
  'tool_call_id',
  'toolCallId',
];

/**
 * Reads a message in the shape of Mneme, OpenAI (chat completions and Responses), Anthropic, Google, Bedrock, the AI SDK
 * of Vercel or LangChain. `at` names it in errors, such as `messages[2]`; empty for none. Throws an InvalidArgumentError
 * for a value that is no message.
 */
export function messageFrom(value: unknown, at: string): MessageFrom {
  const place = (field: string) => (at === '' ? field : `${at}.${field}`);
  const outer = objectIn(value);
  if (!outer) throw badInput(at || 'message', `must be an object with role and text, got ${wordFor(value)}`);
  const { fields, type } = unwrapped(outer);
  const role = roleOf(fields, type, place);
  const { blocks, skipped } = partsOf(fields, type, role);
  const { eventTime, unreadableTime } = timeOf(fields);
  const name = Object.hasOwn(ROLES_OF_TYPES, type) ? '' : nameOf(fields);
  const { sequence } = fields;
  return {
    message: {
      role,
      ...bodyOf(blocks),
      ...(name !== '' && { name }),
      ...(typeof sequence === 'number' && { sequence }),
      ...(eventTime && { eventTime }),
    },
    skipped,
    unreadKeys: [
      ...keysBeside(outer, fields),
      ...Object.keys(fields).filter((key) => isUnread(fields, key, type, blocks)),
    ],
    ...(unreadableTime !== undefined && { unreadableTime }),
  };
}

/** Message of LangChain: in `data` or in `kwargs` of what it serializes. Its class or type is the role. */
function unwrapped(outer: Fields): { readonly fields: Fields; readonly type: string } {
  const kwargs = objectIn(outer.kwargs);
  const path = Array.isArray(outer.id) ? (outer.id as unknown[]).at(-1) : undefined;
  const type = typeof path === 'string' ? path : firstText(outer, ['type']);
  const inner = kwargs ?? (outer.role === undefined ? objectIn(outer.data) : undefined);
  const word = type.replace(/Message(?:Chunk)?$/, '').toLowerCase();
  return { fields: inner ?? outer, type: word === '' ? type : word };
}

function keysBeside(outer: Fields, fields: Fields): string[] {
  const wrapping = new Set(['lc', 'id', 'type', 'data', 'kwargs']);
  return outer === fields ? [] : Object.keys(outer).filter((key) => !wrapping.has(key));
}

function roleOf(fields: Fields, type: string, place: (field: string) => string): MessageRole {
  const { role } = fields;
  const written = role ?? objectIn(fields.author)?.role;
  if (typeof written === 'string') {
    const known = knownRole(written);
    if (known) return known;
    throw badInput(place('role'), `expected one of ${Object.keys(ROLES).join(', ')}, got ${JSON.stringify(written)}`);
  }
  if (role !== undefined && role !== null) throw badInput(place('role'), `expected a text, got ${wordFor(role)}`);
  const word = firstText(fields, ['sender', 'from', 'author', 'speaker']);
  const found = knownRole(word) ?? knownRole(type) ?? ROLES_OF_TYPES[type];
  if (found) return found;
  // A person who is named without a role.
  if (word !== '') return 'user';
  throw badInput(place('role'), `expected one of ${Object.keys(ROLES).join(', ')}, got none`);
}

function knownRole(word: string): MessageRole | undefined {
  const lower = word.toLowerCase();
  return Object.hasOwn(ROLES, lower) ? ROLES[lower] : undefined;
}

function nameOf(fields: Fields): string {
  const name = firstText(fields, ['name']);
  if (name !== '') return name;
  const author = firstText(fields, ['speaker', 'username', 'author', 'sender', 'from']);
  return knownRole(author) ? '' : author;
}

function partsOf(fields: Fields, type: string, role: MessageRole): ReturnType<typeof messageParts> {
  if (Object.hasOwn(ROLES_OF_TYPES, type)) return messageParts([fields]);
  const key = bodyKeyOf(fields);
  const body = key === undefined ? undefined : fields[key];
  const callId = firstText(fields, ['tool_call_id', 'toolCallId']);
  if (role === 'tool' && (callId !== '' || typeof body === 'string')) {
    const isAnswer =
      !Array.isArray(body) || !body.some((part) => /tool|function/i.test(JSON.stringify(part).slice(0, 99)));
    if (isAnswer && body !== undefined) {
      return {
        blocks: [toolResultBlock({ ...fields, content: body, id: callId, text: undefined })],
        skipped: kindsIn(body),
      };
    }
  }
  const read = [
    messageParts(body),
    ...(isEmpty(fields.refusal) ? [] : [messageParts(fields.refusal)]),
    // An audio answer of OpenAI with its transcript.
    ...(isEmpty(fields.audio) ? [] : [messageParts({ type: 'audio', ...objectIn(fields.audio), data: undefined })]),
    ...listIn(fields.attachments).map((part) => messageParts({ type: 'file', ...objectIn(part) })),
    ...listIn(fields.files).map((part) => messageParts({ type: 'file', ...objectIn(part) })),
    { blocks: toolCallsIn(fields, body), skipped: [] },
  ];
  return { blocks: read.flatMap(({ blocks }) => blocks), skipped: read.flatMap(({ skipped }) => skipped) };
}

function bodyKeyOf(fields: Fields): string | undefined {
  return BODY_KEYS.find((key) => !isEmpty(fields[key]));
}

function kindsIn(body: unknown): readonly string[] {
  return Array.isArray(body) ? messageParts(body).skipped : [];
}

/** Calls beside the content; those that the content has already are not read twice. */
function toolCallsIn(fields: Fields, body: unknown): NewMessageBlock[] {
  const inContent = new Set(
    messageParts(body).blocks.flatMap((block) => ('toolCall' in block ? block.toolCall.id : [])),
  );
  const calls = [...listIn(fields.tool_calls), ...listIn(fields.function_call), ...listIn(fields.toolInvocations)];
  return calls
    .map((call) => objectIn(call))
    .filter((call) => call !== undefined)
    .flatMap((call) => ('result' in call ? [toolCallBlock(call), toolResultBlock(call)] : [toolCallBlock(call)]))
    .filter((block) => !('toolCall' in block && block.toolCall.id && inContent.has(block.toolCall.id)));
}

function timeOf(fields: Fields): { readonly eventTime?: Date; readonly unreadableTime?: string } {
  const key = TIME_KEYS.find((each) => !isEmpty(fields[each]));
  if (key === undefined) return {};
  const eventTime = messageTime(fields[key]);
  return eventTime ? { eventTime } : { unreadableTime: String(JSON.stringify(fields[key])) };
}

function bodyOf(blocks: readonly NewMessageBlock[]): Pick<NewConversationMessage, 'text' | 'blocks'> {
  const [first] = blocks;
  return blocks.length === 1 && first && 'text' in first ? { text: first.text } : { blocks };
}

function isUnread(fields: Fields, key: string, type: string, blocks: readonly NewMessageBlock[]): boolean {
  if (isEmpty(fields[key])) return false;
  if (Object.hasOwn(ROLES_OF_TYPES, type) && KEYS_OF_ITEMS.has(key)) return false;
  // Of two bodies one is read: the other must say nothing else.
  if (BODY_KEYS.includes(key)) return key !== bodyKeyOf(fields) && !textOf(blocks).includes(textOf(fields[key]));
  return !MESSAGE_KEYS.includes(key);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && !(value instanceof Date) && Object.keys(value).length === 0;
}

function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value as unknown[];
  return isEmpty(value) || typeof value !== 'object' ? [] : [value];
}

function wordFor(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value;
}
