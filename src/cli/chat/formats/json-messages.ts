import { type MessageFrom, MnemeError, messageFrom } from '../../../../clients/typescript/src/index.ts';
import { nearestOf } from '../../../memory/nearest-name.ts';
import type { Findings } from '../found-chat.ts';
import { MessageList } from '../message-list.ts';
import { type Fields, idIn, isObject, listIn, textIn } from '../values.ts';

const CONVERSATION_KEYS = [
  'conversation',
  'conversation_id',
  'conversationId',
  'thread_id',
  'threadId',
  'session_id',
  'sessionId',
  'session',
  'chat_id',
  'chatId',
];
const LIST_KEYS = [
  'messages',
  'conversations',
  'conversation',
  'history',
  'chat_history',
  'turns',
  'dialogue',
  'input',
];
const BODY_KEYS = ['text', 'content', 'parts', 'blocks', 'value', 'message'];
/** Groups of keys that say the same; a key that is near to one of a group that is missing is a mistake. */
const GROUPS: readonly (readonly string[])[] = [
  ['role', 'type', 'from', 'sender', 'author', 'speaker'],
  [...BODY_KEYS, 'tool_calls', 'function_call', 'refusal', 'audio', 'kwargs', 'data'],
  ['name', 'speaker', 'username', 'author', 'sender', 'from'],
  [
    'time',
    'timestamp',
    'created_at',
    'createdAt',
    'create_time',
    'createTime',
    'ts',
    'date',
    'eventTime',
    'event_time',
  ],
  CONVERSATION_KEYS,
];
/** Keys that programs write beside a message: never a misspelt one. */
const OF_PROGRAMS = new Set([
  'id',
  'uuid',
  'model',
  'status',
  'state',
  'mode',
  'node',
  'index',
  'score',
  'title',
  'lang',
]);

interface Line {
  readonly value: unknown;
  /** Place in the file, for errors. */
  readonly place: string;
}

/** Whether a value is a message, or a conversation with a list of messages. */
export function isMessages(value: unknown): boolean {
  return isObject(value) && (listOf(value) !== undefined || isMessage(value));
}

function isMessage(value: Fields): boolean {
  if ('role' in value) return true;
  const hasAuthor = ['role', 'from', 'sender', 'speaker', 'author', 'kwargs', 'data', 'type'].some(
    (key) => key in value,
  );
  return hasAuthor && [...BODY_KEYS, 'kwargs', 'data', 'tool_calls', 'call_id', 'summary'].some((key) => key in value);
}

/** Reads messages, each with the id of its conversation or none, and conversations with lists of messages. */
export function readMessages(lines: readonly Line[], fallbackId: string, findings: Findings): void {
  const chats = new Map<string, OpenChat>();
  const faulty = new Set<string>();
  let lastId = fallbackId;
  for (const { value, place } of lines) {
    const list = isObject(value) ? listOf(value) : undefined;
    if (isObject(value) && list) {
      readConversation(value, list, { place, fallbackId }, findings);
      continue;
    }
    lastId = isObject(value) ? conversationOf(value) || fallbackId : lastId;
    const fault = addTo(chats, lastId, { value, place }, findings);
    if (fault === undefined) continue;
    faulty.add(lastId);
    findings.faults.push({ conversation: lastId, message: fault });
  }
  for (const [id, chat] of chats) {
    const { messages } = chat.list;
    const timeFault = faultOfTimes(chat);
    if (timeFault) findings.faults.push({ conversation: id, message: timeFault });
    if (faulty.has(id) || timeFault) continue;
    findings.add({ id, title: chat.title, messages, idIsOfFile: id === fallbackId, isPart: false });
  }
}

interface OpenChat {
  readonly list: MessageList;
  readonly title: string;
  /** Times that cannot be read, with their places. */
  readonly unreadable: (readonly [place: string, time: string])[];
}

function listOf(value: Fields): readonly unknown[] | undefined {
  const key = LIST_KEYS.find((each) => Array.isArray(value[each]) && (value[each] as unknown[]).every(isObject));
  if (key === undefined) return undefined;
  const output = key === 'input' ? listIn(value.output) : [];
  return [...(value[key] as unknown[]), ...output];
}

function readConversation(
  value: Fields,
  items: readonly unknown[],
  { place, fallbackId }: { readonly place: string; readonly fallbackId: string },
  findings: Findings,
): void {
  const own = conversationOf(value) || idIn(value.id) || idIn(value.uuid);
  const id = own || fallbackId;
  const instructions = value.system ?? value.instructions;
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  const chats = new Map<string, OpenChat>();
  const title = textIn(value.title) || textIn(value.name);
  for (const [at, item] of [...system, ...items].entries()) {
    const fault = addTo(
      chats,
      id,
      { value: item, place: `${place}: messages[${at - system.length}]` },
      findings,
      title,
    );
    if (fault === undefined) continue;
    findings.faults.push({ conversation: id, message: fault });
    return;
  }
  const chat = chats.get(id);
  if (!chat) return;
  const timeFault = faultOfTimes(chat);
  if (timeFault) findings.faults.push({ conversation: id, message: timeFault });
  else findings.add({ id, title, messages: chat.list.messages, idIsOfFile: own === '', isPart: false });
}

function conversationOf(value: Fields): string {
  return CONVERSATION_KEYS.map((key) => idIn(value[key])).find((id) => id !== '') ?? '';
}

/** Adds a message to its conversation; returns what is wrong with it. */
function addTo(
  chats: Map<string, OpenChat>,
  id: string,
  { value, place }: Line,
  findings: Findings,
  title = '',
): string | undefined {
  const chat = chats.get(id) ?? { list: new MessageList(findings), title, unreadable: [] };
  const read = readOne(value);
  if (typeof read === 'string') return `${place}: ${read}`;
  chats.set(id, chat);
  for (const key of read.unreadKeys) if (!CONVERSATION_KEYS.includes(key)) findings.leaveKey(key);
  if (read.unreadableTime !== undefined) chat.unreadable.push([place, read.unreadableTime]);
  const before = chat.list.messages.length;
  const { sequence: _, ...message } = read.message;
  chat.list.addRead({ ...read, message });
  if (chat.list.messages.length === before && read.skipped.length === 0) findings.skip('message without text');
  return undefined;
}

/** The message, or what is wrong with it. */
function readOne(value: unknown): MessageFrom | string {
  let read: MessageFrom;
  try {
    read = messageFrom(value, '');
  } catch (error) {
    if (!(error instanceof MnemeError)) throw error;
    return isObject(value) ? (misspelt(Object.keys(value), value) ?? error.message) : error.message;
  }
  const wrong = misspelt(read.unreadKeys, isObject(value) ? value : {});
  if (wrong !== undefined) return wrong;
  const isBare = read.message.blocks?.length === 0 && read.skipped.length === 0;
  const hasBody = isObject(value) && [...BODY_KEYS, 'tool_calls', 'kwargs', 'data'].some((key) => key in value);
  return isBare && !hasBody ? 'text: expected a text, or parts with texts in content' : read;
}

function misspelt(keys: readonly string[], value: Fields): string | undefined {
  for (const key of keys) {
    if (OF_PROGRAMS.has(key) || GROUPS.some((group) => group.includes(key))) continue;
    const missing = GROUPS.filter((group) => !group.some((known) => known in value)).flat();
    const near = missing.filter((known) => known[0]?.toLowerCase() === key[0]?.toLowerCase());
    const nearest = nearestOf(key, near, (known) => known);
    if (nearest !== '') return `${key}: is not a key of a message: did you mean ${nearest}?`;
  }
  return undefined;
}

/** Where no time of a conversation can be read, its form is not known: its messages would all be of now. */
function faultOfTimes({ list, unreadable: [first] }: OpenChat): string | undefined {
  const isTimed = list.messages.some(({ eventTime }) => eventTime !== undefined);
  if (first === undefined || isTimed) return undefined;
  const [place, time] = first;
  return `${place}: time: expected ISO 8601, such as 2026-05-01T09:00:00Z, or seconds or milliseconds since 1970, got ${time}`;
}
