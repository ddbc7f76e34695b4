import type { AgentInputItem } from '@openai/agents';
import { badInput, jsonOf } from '../bad-input.ts';
import { Content } from '../content.ts';
import type {
  ConversationMessage,
  MessageRole,
  NewConversationMessage,
  NewMessageBlock,
} from '../conversation-types.ts';
import { cut } from '../cut.ts';

/** Media type of the block with the exact item; the other one marks that bytes are in it. */
const ITEM_TYPE = 'application/vnd.openai.agents-js.item+json';
const ITEM_WITH_BYTES_TYPE = `${ITEM_TYPE};bytes=base64`;
const BYTES_KEY = '$bytes';
/** Limit of the JSON of one item: its block has at most 1,048,576 bytes in base64, beside readable blocks of tools. */
const ITEM_BYTES = 700_000;
const TEXT_BYTES = 1_048_576;
const TOOL_BYTES = 32_768;
const ID_BYTES = 128;
const ROLES: Readonly<Record<string, MessageRole>> = { user: 'user', assistant: 'assistant', system: 'system' };

type Fields = Readonly<Record<string, unknown>>;

/** Messages for `conversations.append`: readable blocks, then the exact item. `field` names the items in errors. */
export function messagesOf(items: readonly AgentInputItem[], field: string): NewConversationMessage[] {
  if (!Array.isArray(items)) throw badInput(field, 'must be a list of items');
  return items.map((item: unknown, index) => messageOf(item, `${field}[${index}]`));
}

function messageOf(item: unknown, field: string): NewConversationMessage {
  if (!isFields(item)) throw badInput(field, 'must be an item, an object');
  const exact = exactItem(item, field);
  const size = exact.data.length;
  if (size > ITEM_BYTES) throw badInput(field, `has ${size} bytes as JSON; at most ${ITEM_BYTES} are stored`);
  return { role: roleOf(item), blocks: [...readableBlocks(item), { data: exact }] };
}

/** The exact item of a message; of a message that another program has stored, its role and text. */
export function itemOf({ role, blocks }: ConversationMessage): AgentInputItem {
  for (const block of blocks) {
    if (!('data' in block)) continue;
    const { data } = block;
    if (data.mediaType === ITEM_TYPE) return JSON.parse(data.text()) as AgentInputItem;
    if (data.mediaType === ITEM_WITH_BYTES_TYPE) return JSON.parse(data.text(), bytesFromBase64) as AgentInputItem;
  }
  const texts = blocks.map((block) =>
    'text' in block ? block.text : 'toolResult' in block ? block.toolResult.text : '',
  );
  const text = texts.filter((each) => each !== '').join('\n\n');
  if (role === 'user' || role === 'system') return { type: 'message', role, content: text };
  return { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] };
}

/** Whether two items are the same: absent fields and fields that are `undefined` are equal, and so is any order of them. */
export function sameItems(left: readonly AgentInputItem[], right: readonly AgentInputItem[]): boolean {
  return canonicalItems(left) === canonicalItems(right);
}

/** JSON of items with sorted fields. */
export function canonicalItems(items: readonly AgentInputItem[]): string {
  return JSON.stringify(sorted(withBase64(items)));
}

function exactItem(item: Fields, field: string): Content {
  const plain = withBase64(item);
  return new Content(plain === item ? ITEM_TYPE : ITEM_WITH_BYTES_TYPE, jsonOf(plain, field));
}

/** The value itself when no bytes are in it. */
function withBase64(value: unknown): unknown {
  if (value instanceof Uint8Array) return { [BYTES_KEY]: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) {
    const made = value.map(withBase64);
    return made.some((each, index) => each !== value[index]) ? made : value;
  }
  if (!isFields(value)) return value;
  const made = Object.entries(value).map(([key, each]) => [key, withBase64(each)] as const);
  return made.some(([key, each]) => each !== value[key]) ? Object.fromEntries(made) : value;
}

function bytesFromBase64(_: string, value: unknown): unknown {
  if (!isFields(value)) return value;
  const base64 = value[BYTES_KEY];
  return typeof base64 === 'string' ? new Uint8Array(Buffer.from(base64, 'base64')) : value;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isFields(value)) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]));
}

function roleOf({ role, type }: Fields): MessageRole {
  if (typeof role === 'string') return ROLES[role] ?? 'assistant';
  return typeof type === 'string' && type.endsWith('_result') ? 'tool' : 'assistant';
}

function readableBlocks(item: Fields): NewMessageBlock[] {
  const { type, callId, id, name, output } = item;
  const kind = typeof type === 'string' ? type : '';
  if (kind.endsWith('_result') || kind.endsWith('_output')) {
    return [{ toolResult: { callId: short(callId), text: readable(textsOf(output).join('\n'), TOOL_BYTES) } }];
  }
  if (kind.endsWith('_call')) {
    const args = typeof item['arguments'] === 'string' ? argumentsOf(item['arguments']) : '';
    const call = { id: short(callId) || short(id), name: short(name) || short(kind) };
    return [{ toolCall: args === '' ? call : { ...call, argumentsJson: args } }];
  }
  const text = readable(textsOf(item['content']).join('\n\n'), TEXT_BYTES);
  return text === '' ? [] : [{ text }];
}

/** Arguments as JSON: those that are not, or too long, as a text in JSON. */
function argumentsOf(text: string): string {
  try {
    JSON.parse(text);
    if (Buffer.byteLength(text) <= TOOL_BYTES) return text;
  } catch {
    // The model has not written JSON.
  }
  return JSON.stringify(readable(text, TOOL_BYTES));
}

/** Texts of a content: a text, a part with `text` or `refusal`, or a list of them. */
function textsOf(content: unknown): string[] {
  if (typeof content === 'string') return [content];
  if (Array.isArray(content)) return content.flatMap((part: unknown) => (isFields(part) ? textsOf(part) : []));
  if (!isFields(content)) return [];
  const text = content['text'] ?? content['refusal'];
  return typeof text === 'string' && text !== '' ? [text] : [];
}

function short(value: unknown): string {
  return typeof value === 'string' ? readable(value, ID_BYTES) : '';
}

/** The server takes no NULs in texts. */
function readable(text: string, limit: number): string {
  return cut(text.replaceAll('\0', ''), limit);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
