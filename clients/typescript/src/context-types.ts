import type { MessageLike } from './conversation-types.ts';
import type { Scope } from './memory.ts';
import type { TimeLike } from './precise-date.ts';
import type { TrustLevel } from './trust.ts';

/** Kind of an entry of a context. `working`: working memory of the session; `other`: any type that has no kind of its own. */
export type ContextKind = 'working' | 'fact' | 'procedure' | 'episode' | 'message' | 'other';

export type ContextFormat = 'xml' | 'markdown' | 'json_messages';

/** One message of a conversation; `role` is `user`, `assistant`, `system` or `tool`. */
export interface ContextMessage {
  readonly role: string;
  readonly text: string;
}

export interface ContextQuery {
  /** Query in plain language. Default: derived from `messages`. */
  readonly query?: string;
  /** Last messages of the conversation, oldest first, at most 100, in any shape that `conversations.append` takes. */
  readonly messages?: readonly (ContextMessage | MessageLike)[];
  /** Scope of the memories, including those that its ancestors share. Default: all. */
  readonly scope?: Scope;
  /** Id of the session whose working memory is included. Default: that of `scope`. */
  readonly session?: string;
  /** Most tokens of the context, 1 to 100,000. Default: `modelTokens` × `share`, otherwise 1,500. */
  readonly tokenBudget?: number;
  /** Size of the model's context window in tokens. */
  readonly modelTokens?: number;
  /** Share of `modelTokens` for the context. Default 0.15. */
  readonly share?: number;
  /** Limits of single kinds: number of entries, and share of the budget. */
  readonly kindLimits?: {
    readonly [Kind in ContextKind]?: { readonly maxEntries?: number; readonly maxShare?: number };
  };
  /** Default `xml`. */
  readonly format?: ContextFormat;
  /** `o200k_base` (default), `cl100k_base` or `wordpiece`. */
  readonly tokenizer?: string;
  /** Kinds that may go in. Default: all. */
  readonly kinds?: readonly ContextKind[];
  /** Time of the question. Default: now. */
  readonly referenceTime?: TimeLike;
  /**
   * Time zone of the user, an IANA name or an offset such as `+09:00`: "yesterday" is a day there. Default: the offset of
   * `referenceTime` where that is a text with one, else UTC.
   */
  readonly timeZone?: string;
  /** Lowest relevance of a memory, 0 to 1. Default: the namespace's setting (0.07); 0 excludes none. */
  readonly minRelevance?: number;
  /** Appends the context to the last message of the user, in `Context.messages`. */
  readonly fold?: boolean;
}

export interface ContextEntry {
  /** Resource name of the memory, or of the session for working memory. */
  readonly name: string;
  readonly kind: ContextKind;
  readonly relevance: number;
  readonly tokens: number;
  /** Reason for its inclusion, in a sentence. */
  readonly reason: string;
  readonly trust: TrustLevel;
  /** Part of the working memory, such as `task`; empty for memories. */
  readonly part: string;
}

/** A memory that was found and did not go in. */
export interface ContextOmission {
  readonly name: string;
  readonly reason:
    | 'budget'
    | 'kind_limit'
    | 'duplicate'
    | 'in_conversation'
    | 'secret'
    | 'no_text'
    | 'low_relevance'
    | 'other';
  /** Resource name of the memory with the same statement; empty unless `duplicate`. */
  readonly duplicateOf: string;
  readonly part: string;
}

export interface Context {
  /** Empty when there are no entries. */
  readonly text: string;
  /** With `fold`: the messages of the query with the context in the last one of the user; otherwise one message of a user, or none. */
  readonly messages: readonly ContextMessage[];
  /** In the order of the text. */
  readonly entries: readonly ContextEntry[];
  /** At most 100. */
  readonly omitted: readonly ContextOmission[];
  readonly omittedTotal: number;
  readonly tokens: number;
  readonly budget: number;
  readonly tokenizer: string;
  /** Parts that failed, were late, or worked only partly. */
  readonly degraded: readonly { readonly part: string; readonly reason: string }[];
  /** True when every part was read in full. */
  readonly complete: boolean;
  /** The effective query; empty when there was none. */
  readonly query: string;
  readonly revision: number;
}
