import type { Micros } from '../memory.ts';
import type { TrustLevel } from '../trust.ts';

/** Kinds of entries in their order in a context. */
export const CONTEXT_KINDS = ['working', 'fact', 'procedure', 'episode', 'other', 'message'] as const;
export type ContextKind = (typeof CONTEXT_KINDS)[number];

export type ContextFormat = 'xml' | 'markdown' | 'json_messages';

/** Number of tokens of a text. */
export type CountTokens = (text: string) => number;

export type ChatRole = 'user' | 'assistant' | 'system' | 'tool';

export interface ChatMessage {
  readonly role: ChatRole;
  readonly text: string;
}

/** A memory, or a part of a session's working memory, that may go into a context. */
export interface ContextCandidate {
  /** Resource name of the memory or of the session. */
  readonly name: string;
  /** Part of the working memory; empty for memories. */
  readonly part: string;
  readonly kind: ContextKind;
  readonly text: string;
  /** Speaker, or producer of the memory; empty when unknown. */
  readonly source: string;
  /** When it happened, in wall time of the zone of the question; absent for working memory. */
  readonly atUs?: Micros;
  readonly relevance: number;
  readonly trust: TrustLevel;
  /** Why it was found, in a sentence for people. */
  readonly reason: string;
  /** The value of a key that names a secret. */
  readonly isSecret?: boolean;
}

/** Kind of the entry that a memory of this type becomes. */
export function contextKindOf(type: string): ContextKind {
  return KINDS_BY_TYPE.get(type) ?? 'other';
}

const KINDS_BY_TYPE: ReadonlyMap<string, ContextKind> = new Map([
  ['statement', 'fact'],
  ['fact', 'fact'],
  ['procedure', 'procedure'],
  ['episode', 'episode'],
  ['message', 'message'],
  ['interaction', 'message'],
]);

/** Types of memories that become entries of a kind; `other` has all the remaining types. */
export function typesOf(kind: ContextKind): readonly string[] {
  return [...KINDS_BY_TYPE].flatMap(([type, of]) => (of === kind ? [type] : []));
}

/** Text to search for: of the last message when the user sent it, otherwise the assistant's most recent one. */
export function queryOf(messages: readonly ChatMessage[]): string {
  const last = messages.at(-1);
  if (last?.role === 'user') return last.text.trim();
  const said = messages.findLast(({ role, text }) => role === 'assistant' && text.trim() !== '');
  return said?.text.trim() ?? '';
}

/** The messages with the context behind the text of the last one of the user. */
export function folded(messages: readonly ChatMessage[], context: string): readonly ChatMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  if (context === '' || at < 0) return messages;
  return messages.map((message, place) =>
    place === at ? { ...message, text: message.text === '' ? context : `${message.text}\n\n${context}` } : message,
  );
}
