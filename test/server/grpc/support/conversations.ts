import {
  AppendMessagesRequest,
  FlushRequest,
  GetExtractionStatusRequest,
  ListMessagesRequest,
  MessageRole,
  PopMessageRequest,
  ReplaceSuffixRequest,
} from '../../../../gen/ts/mneme/v1/conversation_service.ts';
import { ListMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { ask } from './ask.ts';
import type { Clients } from './test-server.ts';

type Partially<T> = T extends { fromPartial(object: infer P): unknown } ? P : never;
export type Append = Partially<typeof AppendMessagesRequest>;

/** A message of one text; `sequence` where the caller numbers. */
export function said(text: string, sequence?: number, role = MessageRole.MESSAGE_ROLE_USER) {
  const numbered = sequence === undefined ? {} : { sequence: BigInt(sequence) };
  return { role, blocks: [{ block: { $case: 'text' as const, value: text } }], ...numbered };
}

/** Extracts pending messages of a namespace; failures are reported after the deadline at the latest. */
export function flush(
  { conversations }: Pick<Clients, 'conversations'>,
  parent: string,
  { conversation = '', deadlineMs = 20_000 } = {},
) {
  const request = FlushRequest.fromPartial({ parent, conversation });
  return ask(conversations, conversations.flush, request, { deadlineMs });
}

export async function extractionStatus(
  { conversations }: Pick<Clients, 'conversations'>,
  parent: string,
  conversation = '',
) {
  const request = GetExtractionStatusRequest.fromPartial({ parent, conversation });
  const { status } = await ask(conversations, conversations.getExtractionStatus, request);
  if (!status) throw new Error('the answer has no status');
  return status;
}

/** Texts of the memories of a type, sorted. */
export async function textsOf({ memories }: Pick<Clients, 'memories'>, parent: string, type = 'fact') {
  const request = ListMemoriesRequest.fromPartial({ parent, filterText: `type = "${type}"`, pageSize: 1000 });
  const listed = await ask(memories, memories.listMemories, request);
  return listed.memories.map(({ text }) => text).sort();
}

/** Calls about one conversation. */
export function talk({ conversations }: Pick<Clients, 'conversations'>, parent: string, id = 'c') {
  const conversation = `${parent}/conversations/${id}`;
  const list = (fields: Partially<typeof ListMessagesRequest> = {}) =>
    ask(conversations, conversations.listMessages, ListMessagesRequest.fromPartial({ conversation, ...fields }));
  return {
    conversation,
    list,
    append: (fields: Append) =>
      ask(conversations, conversations.appendMessages, AppendMessagesRequest.fromPartial({ conversation, ...fields })),
    say: (...texts: string[]) =>
      ask(
        conversations,
        conversations.appendMessages,
        AppendMessagesRequest.fromPartial({ conversation, messages: texts.map((text) => said(text)) }),
      ),
    pop: (fields: Partially<typeof PopMessageRequest> = {}) =>
      ask(conversations, conversations.popMessage, PopMessageRequest.fromPartial({ conversation, ...fields })),
    replace: (fields: Partially<typeof ReplaceSuffixRequest>) =>
      ask(conversations, conversations.replaceSuffix, ReplaceSuffixRequest.fromPartial({ conversation, ...fields })),
    /** Every message as `sequence:text`. */
    async all(): Promise<string[]> {
      const { messages } = await list({ pageSize: 1000 });
      return messages.map(({ sequence, blocks }) => {
        const texts = blocks.flatMap(({ block }) => (block?.$case === 'text' ? [block.value] : []));
        return `${sequence}:${texts.join('|')}`;
      });
    },
  };
}
