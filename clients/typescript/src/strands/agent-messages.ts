import type { ContentBlockData, MessageData } from '@strands-agents/sdk';
import type { NewConversationMessage, NewMessageBlock } from '../conversation-types.ts';
import { cut } from '../cut.ts';

const TEXT_BYTES = 1_048_576;
const ID_BYTES = 128;
type ResultPart = Extract<ContentBlockData, { toolResult: unknown }>['toolResult']['content'][number];

const OMITTED = ['image', 'document', 'video', 'audio'] as const;

/**
 * The message for `conversations.append`; `undefined` when nothing of it is stored. Images, documents, videos and sounds are
 * stored without their bytes; reasoning, guard contents and cache points are not stored. Texts beyond the limit of the
 * server are cut off.
 */
export function conversationMessage({ role, content }: MessageData): NewConversationMessage | undefined {
  let room = TEXT_BYTES;
  const blocks = content.flatMap(blocksOf).flatMap((block): NewMessageBlock[] => {
    if (!('text' in block)) return [block];
    const text = cut(block.text, Math.max(0, room));
    room -= Buffer.byteLength(text) + '\n\n'.length;
    return text === '' ? [] : [{ text }];
  });
  if (blocks.length === 0) return undefined;
  const answersTools = blocks.every((block) => 'toolResult' in block);
  return { role: answersTools ? 'tool' : role, blocks };
}

function blocksOf(block: ContentBlockData): NewMessageBlock[] {
  if ('text' in block) return [{ text: block.text }];
  if ('toolUse' in block) {
    const { toolUseId, name, input } = block.toolUse;
    const argumentsJson = JSON.stringify(input ?? null);
    return [{ toolCall: { id: cut(toolUseId, ID_BYTES), name: cut(name, ID_BYTES), argumentsJson } }];
  }
  if ('toolResult' in block) {
    const { toolUseId, status, content } = block.toolResult;
    const text = cut(content.map(textOfResult).join('\n'), TEXT_BYTES / 2);
    return [{ toolResult: { callId: cut(toolUseId, ID_BYTES), text, isError: status === 'error' } }];
  }
  if ('citations' in block) return block.citations.content.map(({ text }) => ({ text }));
  const omitted = OMITTED.find((kind) => kind in block);
  return omitted === undefined ? [] : [{ data: { omitted } }];
}

function textOfResult(part: ResultPart): string {
  if ('text' in part) return part.text;
  return 'json' in part ? JSON.stringify(part.json) : `[${Object.keys(part)[0] ?? 'nothing'}]`;
}
