import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { MessageRole, NewConversationMessage } from '../../clients/typescript/src/index.ts';
import { CommandFailure, INPUT_REFUSED } from './failure.ts';
import { isoTime } from './parse-flag.ts';

/** A conversation of a file, with its messages in order. */
export interface ChatInFile {
  readonly id: string;
  readonly title: string;
  readonly messages: readonly NewConversationMessage[];
}

/** Larger files are to be split: a file is read as a whole. */
const CHAT_FILE_BYTES_MAX = 512 * 1024 * 1024;

const ROLES: Readonly<Record<string, MessageRole>> = {
  user: 'user',
  human: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * The conversations of a file: JSON lines of role and text, or an export of ChatGPT or Claude, distinguished by their content.
 * Messages are numbered in their order, so that importing a file again changes nothing.
 */
export async function readChats(path: string, conversation: string | undefined): Promise<ChatInFile[]> {
  const bytes = await readFile(path);
  if (bytes.length > CHAT_FILE_BYTES_MAX) throw refused(`${path}: must be at most ${CHAT_FILE_BYTES_MAX} bytes`);
  const text = bytes.toString().replace(/^\uFEFF/, '');
  if (!text.trimStart().startsWith('[')) {
    return chatsOfLines(text, path, conversation ?? (basename(path, extname(path)) || 'chat'));
  }
  const all = listIn(parsed(text, path));
  const chats = all.flatMap((item) => chatOfExport(objectIn(item)) ?? []);
  if (chats.length === 0 && all.length > 0) {
    throw refused(`${path}: expected JSON lines of role and text, or an export of ChatGPT or Claude`);
  }
  if (conversation !== undefined && chats.length > 1) {
    throw refused(`${path}: has ${chats.length} conversations, which --conversation cannot name`);
  }
  return chats.map((chat) => (conversation === undefined ? chat : { ...chat, id: conversation }));
}

function chatOfExport(item: Fields): ChatInFile | undefined {
  if (Array.isArray(item.chat_messages)) return chatOfClaude(item);
  return typeof item.mapping === 'object' && item.mapping !== null ? chatOfChatGpt(item) : undefined;
}

/** Lines with `role` and `text` (or `content`), and optionally `name`, `time` and `conversation`. */
function chatsOfLines(text: string, path: string, fallback: string): ChatInFile[] {
  const chats = new Map<string, NewConversationMessage[]>();
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const place = `${path}:${at + 1}`;
    const fields = objectIn(parsed(line, place));
    const body = fields.text ?? fields.content;
    const role = ROLES[textIn(fields.role).toLowerCase()];
    if (role === undefined) throw refused(`${place}: role: expected one of ${Object.keys(ROLES).join(', ')}`);
    if (typeof body !== 'string') throw refused(`${place}: text: expected a text`);
    const id = textIn(fields.conversation) || fallback;
    const messages = chats.get(id) ?? [];
    chats.set(id, messages);
    messages.push({ ...numbered(role, body, messages), ...named(fields.name), ...timed(fields.time, place) });
  }
  return [...chats].map(([id, messages]) => ({ id, title: '', messages }));
}

function chatOfClaude(item: Fields): ChatInFile {
  const messages: NewConversationMessage[] = [];
  for (const each of listIn(item.chat_messages)) {
    const { sender, text, content, created_at: time } = objectIn(each);
    const role = ROLES[textIn(sender)] ?? 'user';
    const blocks = listIn(content).flatMap((block) => {
      const { type, text: part } = objectIn(block);
      return type === 'text' && typeof part === 'string' ? [part] : [];
    });
    const body = blocks.length > 0 ? blocks.join('\n\n') : textIn(text);
    if (body.trim() !== '') messages.push({ ...numbered(role, body, messages), ...timed(time) });
  }
  return { id: textIn(item.uuid) || 'chat', title: textIn(item.name), messages };
}

/** The branch of the conversation that was shown last: from its last message up to the root. */
function chatOfChatGpt(item: Fields): ChatInFile {
  const mapping = objectIn(item.mapping);
  const branch: Fields[] = [];
  const seen = new Set<string>();
  const leaf = Object.keys(mapping).findLast((key) => listIn(objectIn(mapping[key]).children).length === 0);
  for (let id = textIn(item.current_node) || (leaf ?? ''); id !== '' && !seen.has(id); ) {
    seen.add(id);
    const node = objectIn(mapping[id]);
    branch.push(objectIn(node.message));
    id = textIn(node.parent);
  }
  const messages: NewConversationMessage[] = [];
  for (const { author, content, create_time: seconds } of branch.reverse()) {
    const role = ROLES[textIn(objectIn(author).role)];
    const parts = listIn(objectIn(content).parts).filter((part) => typeof part === 'string');
    const body = parts.join('\n\n');
    if (role === undefined || role === 'tool' || body.trim() === '') continue;
    messages.push({ ...numbered(role, body, messages), ...timed(seconds) });
  }
  return { id: textIn(item.conversation_id) || textIn(item.id) || 'chat', title: textIn(item.title), messages };
}

function numbered(role: MessageRole, text: string, before: readonly unknown[]): NewConversationMessage {
  return { role, text: text.replaceAll('\0', '').toWellFormed(), sequence: before.length };
}

function named(name: unknown): { readonly name?: string } {
  return typeof name === 'string' && name !== '' ? { name } : {};
}

/** An ISO time, or seconds since 1970; of exports one that is neither is left out. */
function timed(value: unknown, place?: string): { readonly eventTime?: Date } {
  if (value === undefined || value === null) return {};
  const eventTime = typeof value === 'number' ? new Date(value * 1000) : isoTime(textIn(value));
  if (eventTime && !Number.isNaN(eventTime.getTime())) return { eventTime };
  if (place === undefined) return {};
  throw refused(`${place}: time: expected ISO 8601, such as 2026-05-01T09:00:00Z, or seconds since 1970`);
}

function parsed(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw refused(`${place}: not JSON: ${error.message}`);
    throw error;
  }
}

function refused(message: string): CommandFailure {
  return new CommandFailure(message, { exitCode: INPUT_REFUSED });
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function objectIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
