import type { ConversationMessage } from '../../../src/memory/conversation.ts';

const START_US = Date.parse('2026-03-02T12:00:00Z') * 1000;
const MINUTE_US = 60_000_000;

/** Messages of one conversation, a minute apart. */
export function conversationOf(
  turns: readonly { readonly role: 'user' | 'assistant'; readonly name: string; readonly text: string }[],
  startUs = START_US,
): ConversationMessage[] {
  return turns.map(({ role, name, text }, sequence) => ({
    role,
    name,
    blocks: [{ kind: 'text', text }],
    sequence,
    text,
    eventAtUs: startUs + sequence * MINUTE_US,
  }));
}
