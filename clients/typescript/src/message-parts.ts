import type { Json } from './content.ts';
import type { NewMessageBlock } from './conversation-types.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What the parts of a message hold. */
export interface MessageParts {
  readonly blocks: readonly NewMessageBlock[];
  /** Kinds of the parts that hold no text, one for each part, such as `image`. */
  readonly skipped: readonly string[];
}

/** Keys under which parts have their text, in the order in which it is read. */
const TEXT_KEYS = [
  'text',
  'thinking',
  'reasoning',
  'refusal',
  'transcript',
  'transcription',
  'extracted_content',
  'extractedContent',
  'content',
  'parts',
  'summary',
  'thoughts',
  'snippet',
  'result',
  'output',
  'value',
  'body',
  'markdown',
  'caption',
  'description',
  'alt',
  'reasoningContent',
  'reasoningText',
  'user_profile',
  'user_instructions',
] as const;
/** Keys with a title: read in front of a text, alone they name a file. */
const TITLE_KEYS = ['title', 'url'] as const;
const TEXTS_DEPTH_MAX = 12;
const PART_WITHOUT_TEXT = 'part without text';

const TOOL_CALLS = new Set([
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'tool-call',
  'tool_call',
  'function_call',
  'custom_tool_call',
  'function',
  'custom',
  'mcp_call',
]);
const TOOL_RESULTS = new Set([
  'tool-result',
  'function_call_output',
  'custom_tool_call_output',
  'computer_call_output',
]);
/** Marks in a list of parts that hold nothing. */
const MARKS = new Set(['step-start', 'step-finish', 'start-step', 'finish-step']);

/** Kinds without text, by words of their type. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/image|photo|picture/i, 'image'],
  [/audio|voice/i, 'audio'],
  [/video/i, 'video'],
  [/sticker/i, 'sticker'],
  [/redacted/i, 'redacted thinking'],
  [/thinking|reasoning|thoughts/i, 'thinking'],
  [/source|citation/i, 'source'],
  [/file|document|pdf|attachment/i, 'file'],
];

/** The parts of a message in any of the shapes that programs write, in order: nothing that holds a text is left out. */
export function messageParts(parts: unknown): MessageParts {
  const blocks: NewMessageBlock[] = [];
  const skipped: string[] = [];
  for (const part of Array.isArray(parts) ? (parts as unknown[]) : [parts]) {
    if (part === null || part === undefined || part === '') continue;
    const read = typeof part === 'object' ? blocksOf(part as Fields) : [{ text: String(part as string | number) }];
    if (typeof read === 'string') skipped.push(read);
    else blocks.push(...read);
    if (typeof read !== 'string' && read.some((block) => 'toolResult' in block)) skipped.push(...kindsInResult(part));
  }
  return { blocks, skipped };
}

/** Kinds of the parts of a tool's answer that hold no text. */
function kindsInResult(part: unknown): readonly string[] {
  const { toolResult = part } = part as Fields;
  const { content, output } = toolResult as Fields;
  const parts = content ?? output;
  return Array.isArray(parts) ? messageParts(parts).skipped.filter((kind) => kind !== PART_WITHOUT_TEXT) : [];
}

/** Blocks of a part, or the kind of a part that holds no text. */
function blocksOf(part: Fields): NewMessageBlock[] | string {
  if ('data' in part && typeof part.type !== 'string' && part.data !== undefined) {
    return [{ data: part.data as Json }];
  }
  const type = kindOf(part);
  if (MARKS.has(type)) return [];
  const tool = toolBlocks(part, type);
  if (tool) return tool;
  const text = textOf(part);
  return text === '' ? wordOfKind(part, type) : [{ text }];
}

function kindOf(part: Fields): string {
  for (const key of ['type', 'content_type', 'block_type', 'kind']) {
    const kind = part[key];
    if (typeof kind === 'string') return kind;
  }
  return '';
}

function wordOfKind(part: Fields, type: string): string {
  const about = [type, ...Object.keys(part), part.mediaType, part.media_type, part.mimeType, part.mime_type]
    .filter((word) => typeof word === 'string')
    .join(' ');
  const known = (words: string) => KINDS.find(([pattern]) => pattern.test(words))?.[1];
  return known(type === 'file' ? about.replaceAll('file', '') : type) ?? known(about) ?? (type || PART_WITHOUT_TEXT);
}

/** A call of a tool, its result, or both; undefined where the part is about no tool. */
function toolBlocks(part: Fields, type: string): NewMessageBlock[] | undefined {
  const invocation = objectIn(part.toolInvocation);
  if (type === 'tool-invocation' && invocation) return invocationBlocks(invocation);
  if (type === 'dynamic-tool' || (/^tool-/.test(type) && typeof part.toolCallId === 'string' && 'state' in part)) {
    return invocationBlocks({ toolName: type.replace(/^tool-/, ''), ...part });
  }
  const result = objectIn(part.toolResult) ?? objectIn(part.functionResponse) ?? objectIn(part.function_response);
  if (result) return [toolResultBlock(result)];
  if (TOOL_RESULTS.has(type) || /tool_result$/.test(type)) return [toolResultBlock(part)];
  const call = objectIn(part.toolCall) ?? objectIn(part.toolUse) ?? objectIn(part.functionCall);
  if (call) return [toolCallBlock(call)];
  if (TOOL_CALLS.has(type)) return [toolCallBlock(part)];
  return undefined;
}

/** A part with a call and, once there is one, its result. */
function invocationBlocks(part: Fields): NewMessageBlock[] {
  const isAnswered = ['output', 'result', 'errorText'].some((key) => part[key] !== undefined);
  return [toolCallBlock(part), ...(isAnswered ? [toolResultBlock(part)] : [])];
}

/** A call of a tool, in the shape of any provider. */
export function toolCallBlock(call: Fields): NewMessageBlock {
  const named = objectIn(call.function) ?? objectIn(call.custom) ?? call;
  const id = firstText(call, ['id', 'toolUseId', 'toolCallId', 'call_id', 'tool_call_id']);
  const name = firstText(named, ['name', 'toolName', 'tool_name']) || 'tool';
  const [input] = valuesOf(named, ['argumentsJson', 'arguments', 'input', 'args', 'rawInput']);
  return { toolCall: { id, name, argumentsJson: jsonText(input) } };
}

/** The answer of a tool, in the shape of any provider. */
export function toolResultBlock(result: Fields): NewMessageBlock {
  const callId = firstText(result, [
    'callId',
    'toolUseId',
    'tool_use_id',
    'toolCallId',
    'tool_call_id',
    'call_id',
    'id',
  ]);
  const [output] = valuesOf(result, ['text', 'content', 'output', 'result', 'response', 'errorText']);
  const isError =
    result.isError === true ||
    result.is_error === true ||
    result.status === 'error' ||
    (result.errorText !== undefined && result.errorText !== '');
  return { toolResult: { callId, text: toolText(output), isError } };
}

/** Output of a tool as text: texts of its parts, or JSON where it is other data. */
function toolText(output: unknown): string {
  if (typeof output === 'string') return output;
  const typed = objectIn(output);
  if (typed && typeof typed.type === 'string' && 'value' in typed) return toolText(typed.value);
  if (Array.isArray(output)) {
    const items = output as unknown[];
    const parts = items.map((item) =>
      kindOf(objectIn(item) ?? {}) !== '' || hasText(item) ? textOf(item) : jsonText(item),
    );
    return parts.filter((text) => text !== '').join('\n\n');
  }
  return jsonText(output);
}

function hasText(item: unknown): boolean {
  return typeof objectIn(item)?.text === 'string' || typeof item === 'string';
}

/** All texts of a value, with blank lines between them; empty when it has none. */
export function textOf(value: unknown): string {
  return textsIn(value, 0).join('\n\n');
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (depth > TEXTS_DEPTH_MAX || typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth + 1));
  const fields = value as Fields;
  const type = kindOf(fields);
  const texts = TEXT_KEYS.flatMap((key) => textsIn(fields[key], depth + 1));
  const source = objectIn(fields.source);
  // A document of Anthropic: its data are a text, the content of a block, or bytes.
  if (source) texts.push(...textsIn(source.type === 'text' ? source.data : source.content, depth + 1));
  const titles = TITLE_KEYS.flatMap((key) => textsIn(fields[key], depth + 1));
  if (texts.length > 0) return [...titles, ...texts];
  // A part of a kind of its own: what reads like a sentence is its text.
  return KINDS.some(([pattern]) => pattern.test(type)) ? [] : sentencesIn(fields, depth);
}

function sentencesIn(fields: Fields, depth: number): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    if (typeof value === 'object') return textsIn(value, depth + 1);
    return typeof value === 'string' && value.trim().includes(' ') && !/(?:^|_)id$|type$/i.test(key) ? [value] : [];
  });
}

export function objectIn(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** The first of these keys with a text; empty without one. */
export function firstText(fields: Fields, keys: readonly string[]): string {
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

function valuesOf(fields: Fields, keys: readonly string[]): unknown[] {
  return keys.map((key) => fields[key]).filter((value) => value !== undefined && value !== null);
}

function jsonText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
