import { randomUUID } from 'node:crypto';
import { ConversationServiceService as methods } from '../../../gen/ts/mneme/v1/conversation_service.ts';
import { integerOf } from './bad-input.ts';
import type { Connection } from './connection.ts';
import {
  conversationIdOf,
  conversationName,
  extractionOf,
  messageMessage,
  messageOf,
  rangeOf,
  statusOf,
} from './conversation-messages.ts';
import type {
  AppendMessagesQuery,
  AppendMessagesResult,
  ClearMessagesResult,
  ConversationMessage,
  ExtractionQuery,
  ExtractionStatus,
  FlushResult,
  ListMessagesQuery,
  MessageLike,
  ReplaceSuffixQuery,
  ReplaceSuffixResult,
} from './conversation-types.ts';
import { type ExtractorCalls, extractorCalls } from './extractor-calls.ts';
import { scopeMessage } from './memory-to-message.ts';
import { messageIn } from './message-in.ts';
import { namespaceName, partsOfName } from './names.ts';
import type { CallOptions, ReadOptions, WriteOptions } from './options.ts';
import { itemsOfPages } from './paging.ts';
import { durationOfMs } from './precise-date.ts';
import type { Attempt } from './streams/attempt.ts';
import { type Runs, resuming, type StreamOptions } from './streams/resuming.ts';

const PAGE_SIZE = 200;

/** Conversations, and the extraction of memories from them. A conversation is named by its id or its full resource name. */
export interface ConversationCalls extends ExtractorCalls {
  /**
   * Appends messages: all of them or none. Resolves when they are durable; extraction runs afterwards. A message that is
   * stored already under its sequence number is not stored again.
   */
  append(
    conversation: string,
    messages: readonly MessageLike[],
    query?: AppendMessagesQuery,
    options?: WriteOptions,
  ): Promise<AppendMessagesResult>;
  /** Messages by sequence number. */
  list(
    conversation: string,
    query?: ListMessagesQuery,
    options?: ReadOptions,
  ): AsyncGenerator<ConversationMessage, void, undefined>;
  /** Removes the message with the highest sequence number, which must be `expectedSequence` where that is set. */
  pop(
    conversation: string,
    query?: { readonly expectedSequence?: number },
    options?: WriteOptions,
  ): Promise<ConversationMessage>;
  /** Replaces the messages from a sequence number on, for example after the user has edited a turn. */
  replaceSuffix(conversation: string, query: ReplaceSuffixQuery, options?: WriteOptions): Promise<ReplaceSuffixResult>;
  /** Removes all messages. Facts that only they state are withdrawn soon after; other derived memories stay. */
  clear(conversation: string, options?: WriteOptions): Promise<ClearMessagesResult>;
  /**
   * Starts the extraction of everything that was accepted before the call, and waits for it until `timeoutMs`. The
   * result names what is still pending or has failed; reaching the deadline is no error.
   */
  flush(query?: ExtractionQuery, options?: CallOptions): Promise<FlushResult>;
  /** How far extraction has come. */
  getExtractionStatus(query?: ExtractionQuery, options?: CallOptions): Promise<ExtractionStatus>;
  /**
   * How far extraction has come, and again after every change, at most once per `intervalMs` (100 to 60,000, default
   * 1,000). A connection that breaks is made again.
   */
  watchExtraction(
    query?: ExtractionQuery & { readonly intervalMs?: number },
    options?: StreamOptions,
  ): AsyncGenerator<ExtractionStatus, void, undefined>;
  /** Tries again to extract from conversations whose extraction has failed for good. */
  retryExtraction(query?: ExtractionQuery, options?: CallOptions): Promise<{ readonly retriedCount: number }>;
}

export function conversationCalls(connection: Connection, namespace: string): ConversationCalls {
  return {
    ...writeCalls(connection, namespace),
    ...extractionCalls(connection, namespace),
    ...extractorCalls(connection, namespace),
  };
}

type Part<Name extends keyof ConversationCalls> = Pick<ConversationCalls, Name>;

function writeCalls(
  connection: Connection,
  namespace: string,
): Part<'append' | 'list' | 'pop' | 'replaceSuffix' | 'clear'> {
  const nameOf = (id: string) => conversationName(namespace, id);
  const messagesOf = (messages: readonly MessageLike[]) =>
    messages.map((message, index) => messageMessage(messageIn(message, `messages[${index}]`), `messages[${index}]`));
  return {
    async append(conversation, messages, query = {}, { requestId = randomUUID(), ...options } = {}) {
      const { scope, endOfInvocation = false } = query;
      const sent = { conversation: nameOf(conversation), messages: messagesOf(messages), scope: scopeMessage(scope) };
      const answer = await connection.unary(methods.appendMessages, { ...sent, endOfInvocation, requestId }, options);
      return {
        messages: answer.messages.map(({ sequence, memory, alreadyStored }) => ({
          sequence: Number(sequence),
          memoryId: partsOfName(memory).id,
          alreadyStored,
        })),
        gaps: answer.gaps.map(rangeOf),
        revision: connection.seen(answer.revision),
      };
    },

    list(conversation, query = {}, options = {}) {
      const { fromSequence = 0, descending = false, pageSize = PAGE_SIZE, onDamaged } = query;
      const request = {
        conversation: nameOf(conversation),
        fromSequence: integerOf(fromSequence, 'fromSequence'),
        descending,
        pageSize,
        minRevision: connection.minRevision(options),
      };
      const readPage = async (pageToken: string) => {
        const answer = await connection.unary(methods.listMessages, { ...request, pageToken }, options);
        connection.seen(answer.revision);
        const damagedIds = answer.damaged.map((name) => partsOfName(name).id);
        return { items: answer.messages.map(messageOf), damagedIds, nextPageToken: answer.nextPageToken };
      };
      return itemsOfPages(readPage, onDamaged, 'messages');
    },

    async pop(conversation, { expectedSequence } = {}, { requestId = randomUUID(), ...options } = {}) {
      const expected = integerOf(expectedSequence, 'expectedSequence');
      const request = { conversation: nameOf(conversation), expectedSequence: expected, requestId };
      const answer = await connection.unary(methods.popMessage, request, options);
      connection.seen(answer.revision);
      return messageOf(answer.message);
    },

    async replaceSuffix(conversation, query, { requestId = randomUUID(), ...options } = {}) {
      const { firstSequence = 0, expectedCount, messages = [], scope } = query;
      const request = {
        conversation: nameOf(conversation),
        firstSequence: integerOf(firstSequence, 'firstSequence'),
        expectedCount,
        messages: messagesOf(messages),
        scope: scopeMessage(scope),
        requestId,
      };
      const { replacedCount, lastSequence, revision } = await connection.unary(methods.replaceSuffix, request, options);
      return {
        replacedCount,
        ...(lastSequence !== undefined && { lastSequence: Number(lastSequence) }),
        revision: connection.seen(revision),
      };
    },

    async clear(conversation, { requestId = randomUUID(), ...options } = {}) {
      const request = { conversation: nameOf(conversation), requestId };
      const { clearedCount, revision } = await connection.unary(methods.clearMessages, request, options);
      return { clearedCount, revision: connection.seen(revision) };
    },
  };
}

function extractionCalls(
  connection: Connection,
  namespace: string,
): Part<'flush' | 'getExtractionStatus' | 'watchExtraction' | 'retryExtraction'> {
  const requestOf = ({ conversation = '' }: ExtractionQuery) => ({
    parent: namespaceName(namespace),
    conversation: conversationIdOf(conversation),
  });
  return {
    async flush(query = {}, options = {}) {
      const answer = await connection.unary(methods.flush, requestOf(query), options);
      const { complete, conversations, pendingCount, degraded } = answer;
      return { complete, conversations: conversations.map(extractionOf), pendingCount, degraded };
    },

    async getExtractionStatus(query = {}, options = {}) {
      const { status } = await connection.unary(methods.getExtractionStatus, requestOf(query), options);
      return statusOf(status);
    },

    watchExtraction({ intervalMs, ...query } = {}, options = {}) {
      const interval = intervalMs === undefined ? undefined : durationOfMs(intervalMs);
      return resuming(connection, new StatusRuns(connection, { ...requestOf(query), interval }), options);
    },

    async retryExtraction(query = {}, options = {}) {
      return connection.unary(methods.retryExtraction, requestOf(query), options);
    },
  };
}

/** Opens the same request again: each message is the whole status. */
class StatusRuns implements Runs<ExtractionStatus> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly request: Parameters<(typeof methods.watchExtraction)['requestSerialize']>[0];

  constructor(connection: Connection, request: StatusRuns['request']) {
    this.connection = connection;
    this.request = request;
  }

  async *open({ signal }: Attempt): AsyncGenerator<ExtractionStatus> {
    for await (const { status } of this.connection.readStream(methods.watchExtraction, this.request, { signal })) {
      yield statusOf(status);
    }
  }
}
