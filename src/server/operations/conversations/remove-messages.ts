import type { Call } from '../../../memory/call.ts';
import {
  type ConversationMessage,
  type MessageDraft,
  messageId,
  messageMemory,
  messageOf,
  type StoredMessage,
} from '../../../memory/conversation.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Memory, Scope } from '../../../memory/memory.ts';
import type { WriteOutcome } from '../../../storage/records.ts';
import { forget } from '../memories/forget.ts';
import { listUpTo } from '../memories/list-memories.ts';
import { onceFor } from '../memories/operation-deps.ts';
import { storedOutcome, storeWriteOf } from '../memories/store-memories.ts';
import { checkScopeAllowed } from '../visibility/visibility.ts';
import { type ConversationDeps, type ConversationKey, messagesFilter, newestMessage } from './conversations.ts';

export interface PopRequest extends ConversationKey {
  readonly expectedSequence?: number;
}

export interface PopOutcome {
  readonly message: ConversationMessage;
  readonly revision: number;
}

/** Parts of a popped message that are stored for its request id: those from which the message is read. */
interface KeptPop {
  readonly memory: Omit<StoredMessage, 'content'>;
  readonly mediaType: string;
  readonly contentBase64: string;
}

const TRIES = 8;

/** Removes the message with the highest sequence number. */
export async function popMessage(deps: ConversationDeps, request: PopRequest, call: Call): Promise<PopOutcome> {
  const { store, clock, conversations } = deps;
  const { namespace, expectedSequence } = request;
  return conversations.alone(request, async () => {
    for (let attempt = 1; ; attempt++) {
      const earlier = call.idempotency && (await store.outcomeOf(namespace, call.idempotency));
      if (earlier) return { message: messageIn(earlier as KeptPop), revision: store.revision };
      const memory = await newestMessage(deps, request, 'basic');
      const message = memory && messageOf(memory);
      if (!memory || !message) throw conversationNotFound(request);
      const { sequence } = message;
      if (expectedSequence !== undefined && expectedSequence !== sequence) {
        throw suffixMismatch(request, `sequence number ${expectedSequence}`, `sequence number ${sequence}`);
      }
      const { revision: expectedRevision, id } = memory;
      const once = call.idempotency ? { ...onceFor(call), outcomeToKeep: keptPop(memory) } : {};
      const write = { namespace, ids: [id], mustExist: true, expectedRevision, atUs: clock.nowUs(), ...once };
      try {
        const { revision } = await store.write({ kind: 'delete', ...write, cause: 'deleted' });
        conversations.remember(request, undefined);
        return { message, revision };
      } catch (error) {
        const isRace = error instanceof MnemeError && ['MEMORY_NOT_FOUND', 'VERSION_MISMATCH'].includes(error.reason);
        if (!isRace || attempt === TRIES) throw error;
        call.signal.throwIfAborted();
      }
    }
  });
}

function keptPop({ id, type, step, scope, text, eventAtUs, content }: Memory): KeptPop {
  return {
    memory: { id, type, ...(step === undefined ? {} : { step }), scope, text, eventAtUs },
    mediaType: content?.mediaType ?? '',
    contentBase64: Buffer.from(content?.data ?? []).toString('base64'),
  };
}

function messageIn({ memory, mediaType, contentBase64 }: KeptPop): ConversationMessage {
  const message = messageOf({ ...memory, content: { mediaType, data: Buffer.from(contentBase64, 'base64') } });
  if (!message) throw new Error(`the outcome that is kept of ${memory.id} has no message`);
  return message;
}

export interface ReplaceSuffixRequest extends ConversationKey {
  readonly firstSequence: number;
  readonly expectedCount: number;
  readonly scope: Scope;
  readonly messages: readonly MessageDraft[];
}

export interface ReplaceSuffixOutcome {
  readonly replacedCount: number;
  /** Of the messages of the request; absent without any. */
  readonly lastSequence?: number;
  readonly revision: number;
}

/** Maximum length of a suffix that one call replaces. */
export const SUFFIX_MAX = 1000;

/** Replaces the messages from a sequence number on, in one write. */
export async function replaceSuffix(
  deps: ConversationDeps,
  request: ReplaceSuffixRequest,
  call: Call,
): Promise<ReplaceSuffixOutcome> {
  const { store, conversations } = deps;
  const { namespace, conversation, firstSequence, expectedCount, scope, messages } = request;
  if (messages.length > 0) checkScopeAllowed(namespace, { ...scope, session: conversation });
  const last = firstSequence + messages.length - 1;
  const outcome = { replacedCount: expectedCount, ...(messages.length > 0 ? { lastSequence: last } : {}) };
  return conversations.alone(request, async () => {
    for (let attempt = 1; ; attempt++) {
      const isRepetition = call.idempotency && (await store.outcomeOf(namespace, call.idempotency));
      if (isRepetition) return { ...outcome, revision: store.revision };
      try {
        const { revision } = await replaceOnce(deps, request, call);
        conversations.remember(request, undefined);
        return { ...outcome, revision };
      } catch (error) {
        // Another server has changed the conversation since the suffix was read.
        const isRace = error instanceof MnemeError && error.reason === 'VERSION_MISMATCH';
        if (!isRace || attempt === TRIES) throw error;
        call.signal.throwIfAborted();
      }
    }
  });
}

async function replaceOnce(deps: ConversationDeps, request: ReplaceSuffixRequest, call: Call): Promise<WriteOutcome> {
  const { namespace, conversation, firstSequence, expectedCount, scope, messages } = request;
  const old = await suffixOf(deps, request);
  if (old.length !== expectedCount) {
    throw suffixMismatch(request, `${expectedCount} messages`, `${old.length} messages`);
  }
  const memories = messages.map((message, at) => messageMemory(conversation, scope, firstSequence + at, message));
  const write = await storeWriteOf(deps, { namespace, memories, onConflict: 'replace' }, call);
  const stored = new Set(write.memories.map(({ id }) => id));
  // Numbers that an append of another server would take meanwhile must be free.
  const next = messageId(conversation, Math.max(...old.map(({ step = 0 }) => step), firstSequence - 1) + 1);
  const erased = [...old.map(({ id }) => id), next].filter((id) => !stored.has(id));
  const required = [...stored, ...erased].map((id) => [id, 0] as const);
  const found = old.map(({ id, revision }) => [id, revision] as const);
  return storedOutcome(deps, {
    ...write,
    createNamespace: false,
    erasedIds: erased,
    expectedRevisions: Object.fromEntries([...required, ...found]),
    ...onceFor(call),
  });
}

async function suffixOf({ view, clock }: ConversationDeps, request: ReplaceSuffixRequest): Promise<readonly Memory[]> {
  const { namespace, conversation, firstSequence } = request;
  const filter = messagesFilter(conversation, firstSequence);
  const read = { namespace, filter, order: 'step_asc', view: 'metadata', nowUs: clock.nowUs() } as const;
  return listUpTo(view, { ...read, limit: SUFFIX_MAX + 1 });
}

/** Removes all messages; returns how many. */
export async function clearMessages(
  deps: ConversationDeps,
  key: ConversationKey,
  call: Call,
): Promise<{ readonly clearedCount: number; readonly revision: number }> {
  const { namespace, conversation } = key;
  return deps.conversations.alone(key, async () => {
    const filter = messagesFilter(conversation);
    const { tiers, revision } = await forget(deps, { namespace, filter, dryRun: false }, call);
    deps.conversations.remember(key, undefined);
    return { clearedCount: tiers.reduce((sum, [, count]) => sum + count, 0), revision };
  });
}

function nameOf({ namespace, conversation }: ConversationKey): string {
  return `namespaces/${namespace}/conversations/${conversation}`;
}

function conversationNotFound(key: ConversationKey): MnemeError {
  const name = nameOf(key);
  return new MnemeError('CONVERSATION_NOT_FOUND', `${name} has no messages`, { metadata: { name } });
}

function suffixMismatch(key: ConversationKey, expected: string, actual: string): MnemeError {
  const name = nameOf(key);
  return new MnemeError('SUFFIX_MISMATCH', `${name} ends with ${actual}, not ${expected}`, {
    metadata: { name, expected, actual },
  });
}
