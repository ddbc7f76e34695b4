import type { ConversationMessage, MessageBlock } from '../../../memory/conversation.ts';
import type { Micros } from '../../../memory/memory.ts';
import type { Extracted, ExtractionBatch } from '../../extraction/extractor.ts';

/** Messages of one conversation that a client extracts from. */
export interface ExtractionJob {
  readonly id: string;
  readonly batch: ExtractionBatch;
  readonly deadlineAtUs: Micros;
}

/** A job whose answer is awaited. */
export interface AwaitedJob extends ExtractionJob {
  resolve(extracted: Extracted): void;
  reject(error: unknown): void;
}

/** Bytes of the messages of a job, about; a longer message is a job of its own. */
const JOB_BYTES_MAX = 2_621_440;
/** Of the text of a message that precedes those of the job. */
const EARLIER_BYTES = 4096;

/** The batch in parts that fit into messages of the API. */
export function jobBatches(batch: ExtractionBatch): ExtractionBatch[] {
  const earlier = batch.earlier.map(shortened);
  const parts: ConversationMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of batch.messages) {
    const own = message.blocks.reduce((sum, block) => sum + bytesOf(block), 0);
    bytes += own;
    if (bytes > JOB_BYTES_MAX) {
      parts.push([]);
      bytes = own;
    }
    parts.at(-1)?.push(message);
  }
  return parts.map((messages) => ({ ...batch, earlier, messages }));
}

function bytesOf(block: MessageBlock): number {
  switch (block.kind) {
    case 'text':
      return Buffer.byteLength(block.text);
    case 'tool_call':
      return Buffer.byteLength(block.argumentsJson);
    case 'tool_result':
      return Buffer.byteLength(block.text);
    case 'data':
      return block.content.data.length;
  }
}

function shortened(message: ConversationMessage): ConversationMessage {
  const text = cut(message.text);
  return { ...message, text, blocks: text === '' ? [] : [{ kind: 'text', text }] };
}

/** The beginning of a text, in whole characters. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= EARLIER_BYTES) return text;
  const bytes = Buffer.from(text.slice(0, EARLIER_BYTES));
  let end = Math.min(EARLIER_BYTES, bytes.length);
  // The bytes of a character after its first one begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end).toWellFormed();
}
