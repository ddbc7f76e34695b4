import { isBlank } from './derive-text.ts';
import { derivedId } from './derived-id.ts';
import {
  type Content,
  DEFAULT_IMPORTANCE,
  DEFAULT_PRIORITY,
  type Memory,
  type MemoryDraft,
  type Micros,
  type Scope,
} from './memory.ts';

export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

export type MessageBlock =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly id: string; readonly name: string; readonly argumentsJson: string }
  | { readonly kind: 'tool_result'; readonly callId: string; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'data'; readonly content: Content };

/** A message as a caller appends it. */
export interface MessageDraft {
  readonly role: MessageRole;
  /** Name of the author; empty: none. */
  readonly name: string;
  readonly blocks: readonly MessageBlock[];
  /** Absent: when it is stored. */
  readonly eventAtUs?: Micros;
}

/** A message of a conversation. */
export interface ConversationMessage extends MessageDraft {
  /** Place in the conversation, from 0. */
  readonly sequence: number;
  /** The text blocks joined by an empty line; recall searches this text. */
  readonly text: string;
  readonly eventAtUs: Micros;
}

export const CONVERSATION_LIMITS = {
  messagesPerCall: 1000,
  blocks: 64,
  nameBytes: 128,
  conversationBytes: 128,
} as const;

export const MESSAGE_TYPE = 'message';

/** Between two text blocks. */
const SEPARATOR = '\n\n';
const CONTENT_TYPE = 'application/json';

/** Id of the memory that stores a message; the same in every namespace. */
export function messageId(conversation: string, sequence: number): string {
  return `${conversationId(conversation)}.${sequence}`;
}

/** Form of the ids that messages have. */
export const MESSAGE_ID = /^[0-9a-f-]{36}[.][0-9]+$/;

/** True of ids that messages have. */
export function isMessageId(id: string): boolean {
  return MESSAGE_ID.test(id);
}

/** Ids of conversations by name, which cost a hash each; the oldest are dropped. */
const ids = new Map<string, string>();
const IDS_MAX = 2000;

function conversationId(conversation: string): string {
  const known = ids.get(conversation);
  if (known !== undefined) return known;
  const id = derivedId(`conversation\n${conversation}`);
  if (ids.size >= IDS_MAX) {
    for (const oldest of ids.keys()) {
      ids.delete(oldest);
      break;
    }
  }
  ids.set(conversation, id);
  return id;
}

export function messageUri(conversation: string, sequence: number): string {
  return `conversations/${conversation}/messages/${sequence}`;
}

/** The memory that stores a message. The same message always has the same text and content, hence the same checksum. */
export function messageMemory(
  conversation: string,
  scope: Scope,
  sequence: number,
  message: MessageDraft,
): MemoryDraft {
  const joined = textOf(message.blocks);
  const text = isBlank(joined) ? '' : joined;
  return {
    id: messageId(conversation, sequence),
    scope: { ...scope, session: conversation },
    type: MESSAGE_TYPE,
    step: sequence,
    eventAtUs: message.eventAtUs,
    text,
    textDerived: false,
    content: contentOf(message, sequence, text !== ''),
    tags: [],
    importance: DEFAULT_IMPORTANCE,
    priority: DEFAULT_PRIORITY,
    source: { speaker: message.name || message.role, uri: messageUri(conversation, sequence), origin: '' },
  };
}

function textOf(blocks: readonly MessageBlock[]): string {
  return blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join(SEPARATOR);
}

/** A block as the content keeps it. Text that the memory has as its text is there by its length only. */
type KeptBlock =
  | { readonly type: 'text'; readonly length: number }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly arguments: string }
  | { readonly type: 'tool_result'; readonly call_id: string; readonly text: string; readonly is_error: boolean }
  | { readonly type: 'data'; readonly media_type: string; readonly base64: string };

interface KeptMessage {
  readonly role: MessageRole;
  readonly name?: string;
  readonly sequence: number;
  readonly blocks: readonly KeptBlock[];
}

function contentOf({ role, name, blocks }: MessageDraft, sequence: number, isTextKept: boolean): Content {
  const kept: KeptMessage = {
    role,
    ...(name === '' ? {} : { name }),
    sequence,
    blocks: blocks.map((block) => keptBlock(block, isTextKept)),
  };
  return { mediaType: CONTENT_TYPE, data: Buffer.from(JSON.stringify(kept)) };
}

function keptBlock(block: MessageBlock, isTextKept: boolean): KeptBlock {
  switch (block.kind) {
    case 'text':
      return isTextKept ? { type: 'text', length: block.text.length } : { type: 'text', text: block.text };
    case 'tool_call':
      return { type: 'tool_call', id: block.id, name: block.name, arguments: block.argumentsJson };
    case 'tool_result':
      return { type: 'tool_result', call_id: block.callId, text: block.text, is_error: block.isError };
    case 'data': {
      const { mediaType, data } = block.content;
      return { type: 'data', media_type: mediaType, base64: Buffer.from(data).toString('base64') };
    }
  }
}

/** The part of a memory that a message is read from. */
export type StoredMessage = Pick<Memory, 'id' | 'type' | 'step' | 'scope' | 'text' | 'eventAtUs' | 'content'>;

/** The message that a memory stores; `undefined` for a memory that is no message of a conversation. */
export function messageOf(memory: StoredMessage): ConversationMessage | undefined {
  const { step: sequence, text, eventAtUs, scope } = memory;
  if (!isMessage(memory) || sequence === undefined || scope.session === '') return undefined;
  const kept = keptIn(memory.content);
  if (!kept) return undefined;
  const { role, name = '' } = kept;
  return { role, name, sequence, text, eventAtUs, blocks: blocksOf(kept.blocks, text) };
}

/** Whether a memory is a message that was appended to a conversation; reads no text and no content. */
export function isMessage({ type, step, scope, id }: Pick<Memory, 'type' | 'step' | 'scope' | 'id'>): boolean {
  // The form of the id is compared first, as the id of a conversation costs a hash.
  if (type !== MESSAGE_TYPE || step === undefined || scope.session === '' || !isMessageId(id)) return false;
  return id === messageId(scope.session, step);
}

function keptIn(content: Content | undefined): KeptMessage | undefined {
  if (content?.mediaType !== CONTENT_TYPE) return undefined;
  const { data } = content;
  try {
    const value = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()) as KeptMessage;
    return Array.isArray(value?.blocks) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A text that was changed after the message was appended is one block. */
function blocksOf(kept: readonly KeptBlock[], text: string): MessageBlock[] {
  const lengths = kept.flatMap((block) => ('length' in block ? [block.length] : []));
  const total = lengths.reduce((sum, length) => sum + length, SEPARATOR.length * Math.max(0, lengths.length - 1));
  const isWhole = total === text.length;
  let at = 0;
  return kept.flatMap((block): MessageBlock[] => {
    if (block.type === 'data') {
      return [{ kind: 'data', content: { mediaType: block.media_type, data: Buffer.from(block.base64, 'base64') } }];
    }
    if (block.type === 'tool_call') {
      return [{ kind: 'tool_call', id: block.id, name: block.name, argumentsJson: block.arguments }];
    }
    if (block.type === 'tool_result') {
      return [{ kind: 'tool_result', callId: block.call_id, text: block.text, isError: block.is_error }];
    }
    if ('text' in block) return [{ kind: 'text', text: block.text }];
    const isFirst = at === 0;
    const part = isWhole ? text.slice(at, at + block.length) : text;
    at += block.length + SEPARATOR.length;
    return isWhole || isFirst ? [{ kind: 'text', text: part }] : [];
  });
}
