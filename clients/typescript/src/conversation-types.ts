import type { Content, Json } from './content.ts';
import type { Scope } from './memory.ts';
import type { TimeLike } from './precise-date.ts';

/** Author of a message. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/** Call of a tool by the agent. */
export interface ToolCallBlock {
  /** Id of the call, which the result refers to. */
  readonly id?: string;
  readonly name: string;
  /** Arguments as JSON text. */
  readonly argumentsJson?: string;
}

/** Answer of a tool. */
export interface ToolResultBlock {
  /** Id of the call that it answers. */
  readonly callId?: string;
  readonly text?: string;
  /** Whether the tool failed. Default false. */
  readonly isError?: boolean;
}

/** One part of a message: a text, a call of a tool, its answer, or any other content; plain values become JSON. */
export type NewMessageBlock =
  | { readonly text: string }
  | { readonly toolCall: ToolCallBlock }
  | { readonly toolResult: ToolResultBlock }
  | { readonly data: Content | Json };

/** One part of a message that is stored. */
export type MessageBlock =
  | { readonly text: string }
  | { readonly toolCall: Required<ToolCallBlock> }
  | { readonly toolResult: Required<ToolResultBlock> }
  | { readonly data: Content };

/** A message to be stored. */
export interface NewConversationMessage {
  readonly role: MessageRole;
  /** A message of one text, in place of `blocks`. */
  readonly text?: string;
  /** Parts of the message in order, at most 64. */
  readonly blocks?: readonly NewMessageBlock[];
  /** Name of the author, such as `Caroline`. */
  readonly name?: string;
  /** Place in the conversation, 0 or more. Default: after the last one. All messages of a call have one or none. */
  readonly sequence?: number;
  /** Time at which it was said. Default: the time at which it is stored. */
  readonly eventTime?: TimeLike;
}

/**
 * A message as programs write it: that of Mneme, or one of OpenAI (chat completions and Responses), Anthropic, Google,
 * the AI SDK of Vercel or LangChain, with a text, null or parts as its `content`.
 */
export type MessageLike = NewConversationMessage | Readonly<Record<string, unknown>>;

/** A message that is stored. */
export interface ConversationMessage {
  readonly sequence: number;
  /** `other`: a role that this version of the client does not know. */
  readonly role: MessageRole | 'other';
  /** Empty when the author has no name. */
  readonly name: string;
  readonly blocks: readonly MessageBlock[];
  readonly eventTime: Date;
  /** Id of the memory that stores the message. */
  readonly memoryId: string;
}

/** Consecutive sequence numbers, both ends included. */
export interface SequenceRange {
  readonly first: number;
  readonly last: number;
}

export interface AppendMessagesQuery {
  /** Owner of the messages: project, agent type and agent. Default: none. */
  readonly scope?: Omit<Scope, 'session'>;
  /** Starts extraction right after the answer: the invocation of the agent has ended. Default false. */
  readonly endOfInvocation?: boolean;
}

export interface AppendMessagesResult {
  /** What was done with each message, in the order of the call. */
  readonly messages: readonly {
    readonly sequence: number;
    readonly memoryId: string;
    /** The same message was stored before; nothing was changed. */
    readonly alreadyStored: boolean;
  }[];
  /** Sequence numbers that the call left out, at most 1,000. */
  readonly gaps: readonly SequenceRange[];
  readonly revision: number;
}

export interface ListMessagesQuery {
  /** First sequence number to list. Default 0. */
  readonly fromSequence?: number;
  /** Lists the highest sequence numbers first. Default false. */
  readonly descending?: boolean;
  /** Maximum number of messages per page, 1 to 1,000. Default 100. */
  readonly pageSize?: number;
  /** Receives the ids of memories whose messages cannot be read. Default: `DataLossError` after all other messages. */
  readonly onDamaged?: (ids: readonly string[]) => void;
}

export interface ReplaceSuffixQuery {
  /** Sequence number of the first message to replace. Default 0: the whole conversation. */
  readonly firstSequence?: number;
  /** Number of messages that the conversation must have from `firstSequence` on, at most 1,000. */
  readonly expectedCount: number;
  /** Messages that take their place, without sequence numbers. Default: none, which removes the suffix. */
  readonly messages?: readonly MessageLike[];
  /** Owner of the messages. Default: none. */
  readonly scope?: Omit<Scope, 'session'>;
}

export interface ReplaceSuffixResult {
  readonly replacedCount: number;
  /** Highest sequence number of the new messages; absent when there are none. */
  readonly lastSequence?: number;
  readonly revision: number;
}

export interface ClearMessagesResult {
  readonly clearedCount: number;
  readonly revision: number;
}

/** State of the extraction of a conversation. `other`: a state that this version of the client does not know. */
export type ExtractionState = 'idle' | 'pending' | 'extracting' | 'retrying' | 'failed' | 'other';

/** How far the extraction of a conversation has come. */
export interface ConversationExtraction {
  /** Id of the conversation. */
  readonly conversation: string;
  readonly state: ExtractionState;
  /** Messages that are neither extracted nor given up. */
  readonly pendingCount: number;
  /** Highest sequence number that was extracted since the server started; absent when none was. */
  readonly lastExtractedSequence?: number;
  /** Attempts that have failed since the last success. */
  readonly attemptCount: number;
  /** Time of the next attempt, in the state `retrying`. */
  readonly nextAttemptTime?: Date;
  /** Why the last attempt failed, or why none can be made; empty otherwise. */
  readonly error: string;
  /** Messages that extraction has given up. */
  readonly failed: readonly SequenceRange[];
}

export interface ExtractionQuery {
  /** One conversation. Default: all conversations of the namespace. */
  readonly conversation?: string;
}

export interface FlushResult {
  /** True when every message accepted before the call has been extracted without failures. */
  readonly complete: boolean;
  /** Conversations with messages that are pending, being extracted or failed, at most 1,000. */
  readonly conversations: readonly ConversationExtraction[];
  readonly pendingCount: number;
  /** Why the namespace is not read at the moment; empty in the normal case. */
  readonly degraded: string;
}

/** How far extraction has come in a namespace. */
export interface ExtractionStatus {
  readonly namespace: string;
  /** Extractor in use, such as `rules`. */
  readonly extractor: string;
  readonly pendingCount: number;
  /** Messages that extraction has given up. */
  readonly failedCount: number;
  /** Conversations that are not idle, at most 1,000; or the one of the query. */
  readonly conversations: readonly ConversationExtraction[];
  /** Revision of the change log up to which every message is extracted or given up. */
  readonly extractedRevision: number;
  /** Newest revision of the change log. */
  readonly revision: number;
  /** Why the namespace is not read at the moment; empty in the normal case. */
  readonly degraded: string;
}
