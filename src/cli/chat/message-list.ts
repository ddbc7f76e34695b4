import {
  type MessageFrom,
  messageFrom,
  type NewMessageBlock,
  type TimedMessage,
} from '../../../clients/typescript/src/index.ts';
import type { Findings } from './found-chat.ts';

/** Limits of one message; see docs/limits.md. */
const MESSAGE = { blocksMax: 64, textBytesMax: 1_000_000, nameBytesMax: 128 };

/** The messages of a conversation while it is read: what the server would refuse is divided or cut, what has no text is counted. */
export class MessageList {
  readonly messages: TimedMessage[] = [];
  private readonly findings: Findings;

  constructor(findings: Findings) {
    this.findings = findings;
  }

  /** Adds a message in any shape that `messageFrom` reads; its keys are those of the reader, not of the file. */
  add(shape: Readonly<Record<string, unknown>>): MessageFrom {
    const read = messageFrom(shape, '');
    this.addRead(read);
    return read;
  }

  addRead({ message, skipped, unreadableTime }: MessageFrom): void {
    for (const kind of skipped) this.findings.skip(kind);
    if (unreadableTime !== undefined) this.findings.skip('unreadable time');
    const { text, blocks = text === undefined ? [] : [{ text }], name, ...rest } = message;
    for (const part of divided(joined(blocks))) {
      this.messages.push({
        ...rest,
        ...bodyOf(part),
        name: name === undefined ? undefined : cutTo(name, MESSAGE.nameBytesMax),
      });
    }
  }
}

/** Texts that follow each other are one; characters that cannot be stored are left out. */
function joined(blocks: readonly NewMessageBlock[]): NewMessageBlock[] {
  const all: NewMessageBlock[] = [];
  for (const block of blocks) {
    const before = all.at(-1);
    if ('toolResult' in block && !block.toolResult.callId && !block.toolResult.text) continue;
    if (!('text' in block)) all.push(storable(block));
    else if (block.text.trim() !== '') {
      const text = clean(block.text);
      if (before && 'text' in before) all[all.length - 1] = { text: `${before.text}\n\n${text}` };
      else all.push({ text });
    }
  }
  return all;
}

function storable(block: NewMessageBlock): NewMessageBlock {
  if ('toolCall' in block) {
    const { id = '', name, argumentsJson = '' } = block.toolCall;
    return { toolCall: { id: cutTo(id, 128), name: cutTo(name, 128), argumentsJson: clean(argumentsJson) } };
  }
  if (!('toolResult' in block)) return block;
  const { callId = '', text = '', isError = false } = block.toolResult;
  return { toolResult: { callId: cutTo(callId, 128), text: clean(text), isError } };
}

function clean(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function cutTo(text: string, bytesMax: number): string {
  let short = clean(text);
  while (Buffer.byteLength(short) > bytesMax) short = short.slice(0, -1);
  return short.toWellFormed();
}

/** Blocks of as many messages as it takes; none for no block. */
function* divided(blocks: readonly NewMessageBlock[]): Generator<NewMessageBlock[]> {
  let part: NewMessageBlock[] = [];
  let bytes = 0;
  for (const block of blocks.flatMap(pieces)) {
    const size = Buffer.byteLength(JSON.stringify(block));
    if (part.length > 0 && (part.length >= MESSAGE.blocksMax || bytes + size > MESSAGE.textBytesMax)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(block);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** A text above the limit in pieces, each of which ends with a line where it has one. */
function pieces(block: NewMessageBlock): NewMessageBlock[] {
  const text = 'text' in block ? block.text : 'toolResult' in block ? (block.toolResult.text ?? '') : '';
  if (Buffer.byteLength(JSON.stringify(text)) <= MESSAGE.textBytesMax) return [block];
  const all: NewMessageBlock[] = [];
  // A character has at most 6 bytes as JSON.
  const charactersMax = Math.floor(MESSAGE.textBytesMax / 6) - 100;
  for (let from = 0; from < text.length; ) {
    const end = text.lastIndexOf('\n', from + charactersMax) + 1;
    let to = from + charactersMax >= text.length ? text.length : end > from ? end : from + charactersMax;
    if (to < text.length && /[\udc00-\udfff]/.test(text[to] ?? '')) to--;
    const piece = text.slice(from, to);
    all.push('toolResult' in block ? { toolResult: { ...block.toolResult, text: piece } } : { text: piece });
    from = to;
  }
  return all;
}

function bodyOf(blocks: readonly NewMessageBlock[]): Pick<TimedMessage, 'text' | 'blocks'> {
  const [first] = blocks;
  return blocks.length === 1 && first && 'text' in first ? { text: first.text } : { blocks };
}
