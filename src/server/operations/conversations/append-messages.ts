import type { Call } from '../../../memory/call.ts';
import { checksumOf } from '../../../memory/checksum.ts';
import { type MessageDraft, messageId, messageMemory } from '../../../memory/conversation.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { MemoryDraft, Scope } from '../../../memory/memory.ts';
import type { WriteOutcome } from '../../../storage/records.ts';
import { onceFor } from '../memories/operation-deps.ts';
import { storedOutcome, storeWriteOf } from '../memories/store-memories.ts';
import { checkScopeAllowed } from '../visibility/visibility.ts';
import { type ConversationDeps, type ConversationKey, lastSequence } from './conversations.ts';

export interface AppendRequest extends ConversationKey {
  readonly scope: Scope;
  readonly messages: readonly MessageDraft[];
  /** Of the messages, increasing, in their order; absent: the next numbers that are free. */
  readonly sequences?: readonly number[];
  readonly endsInvocation: boolean;
}

/** Consecutive sequence numbers, both ends included. */
export interface SequenceRange {
  readonly first: number;
  readonly last: number;
}

export interface AppendOutcome {
  readonly appended: readonly { readonly sequence: number; readonly id: string; readonly isRepetition: boolean }[];
  readonly gaps: readonly SequenceRange[];
  readonly outcome: Pick<WriteOutcome, 'revision'>;
}

/** Appends of other servers to the same conversation that may come between one reading of its end and the write. */
const TRIES = 32;
const GAPS_MAX = 1000;

/** Stores all of the messages or none; resolves when they are durable. Extraction starts afterwards. */
export async function appendMessages(
  deps: ConversationDeps,
  request: AppendRequest,
  call: Call,
): Promise<AppendOutcome> {
  const { conversations, visibilityRules, whole } = deps;
  const { namespace, conversation, scope } = request;
  checkScopeAllowed(namespace, { ...scope, session: conversation });
  // The highest number that such a caller sees may not be that of the conversation.
  const { isLimited } = await visibilityRules.of(namespace);
  const appended = await conversations.alone(request, async () => {
    for (let attempt = 1; ; attempt++) {
      // Numbers of the server follow hidden messages too: two scopes can take turns in one conversation.
      const last = await lastSequence(request.sequences ? deps : { ...deps, ...whole }, request);
      const sequences = request.sequences ?? request.messages.map((_, at) => last + 1 + at);
      try {
        const made = await appendAfter(deps, request, { last, sequences }, call);
        const newest = Math.max(last, ...made.appended.map(({ sequence }) => sequence));
        conversations.remember(request, isLimited ? undefined : newest);
        return made;
      } catch (error) {
        // Another server, or a call that was repeated while the first one ran, has stored some of them.
        const isRace = error instanceof MnemeError && isTaken(error, request);
        if (!isRace || attempt === TRIES) throw error;
        conversations.remember(request, undefined);
        call.signal.throwIfAborted();
      }
    }
  });
  deps.onAppended(request, request.endsInvocation ? appended.appended.at(-1)?.sequence : undefined);
  return appended;
}

/** Whether another message has a number; a number of the server may be that of a hidden one. */
function isTaken({ reason }: MnemeError, { sequences }: AppendRequest): boolean {
  return reason === 'MEMORY_EXISTS' || (reason === 'SCOPE_PRIVATE' && !sequences);
}

interface Numbering {
  /** Highest sequence number of the conversation, or -1. */
  readonly last: number;
  readonly sequences: readonly number[];
}

async function appendAfter(
  deps: ConversationDeps,
  request: AppendRequest,
  { last, sequences }: Numbering,
  call: Call,
): Promise<AppendOutcome> {
  const { namespace, conversation, scope, messages } = request;
  const drafts = messages.map((message, at) => messageMemory(conversation, scope, sequences[at] ?? 0, message));
  const isAtEnd = (sequences[0] ?? 0) > last;
  const fresh = isAtEnd ? drafts : await withoutStored(deps, request, drafts);
  const gaps = request.sequences ? gapsOf(last, sequences) : [];
  if (fresh.length === 0) {
    const appended = drafts.map(({ id = '', step = 0 }) => ({ sequence: step, id, isRepetition: true }));
    return { appended, gaps, outcome: { revision: deps.store.revision } };
  }
  const write = await storeWriteOf(deps, { namespace, memories: fresh, onConflict: 'fail' }, call);
  const outcome = await storedOutcome(deps, { ...write, ...onceFor(call) });
  const written = new Set(outcome.memories.map(({ id }) => id));
  // The first outcome of a repeated call, which the server has numbered then.
  const kept = request.sequences ? drafts.map(({ id = '' }) => id) : outcome.memories.map(({ id }) => id);
  const appended = kept.map((id) => ({ sequence: sequenceIn(id), id, isRepetition: !written.has(id) }));
  return { appended, gaps, outcome };
}

/** The number that the id of a message ends with. */
function sequenceIn(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

/** The messages that are not stored yet. Fails with MESSAGE_CONFLICT where a different one has the number. */
async function withoutStored(
  { store, clock }: ConversationDeps,
  { namespace, conversation }: ConversationKey,
  drafts: readonly MemoryDraft[],
): Promise<MemoryDraft[]> {
  const ids = drafts.map(({ step = 0 }) => messageId(conversation, step));
  const found = await store.get({ namespace, ids, view: 'metadata', nowUs: clock.nowUs() });
  return drafts.filter((draft, at) => {
    const stored = found[at];
    if (!stored) return true;
    const checksum = stored.compaction?.checksum ?? stored.checksum;
    if (checksum !== checksumOf(draft.text, draft.content)) throw conflict(namespace, conversation, draft.step ?? 0);
    return false;
  });
}

function conflict(namespace: string, conversation: string, sequence: number): MnemeError {
  const name = `namespaces/${namespace}/conversations/${conversation}`;
  return new MnemeError('MESSAGE_CONFLICT', `${name} has a different message with sequence number ${sequence}`, {
    metadata: { name, sequence: String(sequence) },
  });
}

/** Gaps in the numbers after the last message. */
function gapsOf(last: number, sequences: readonly number[]): SequenceRange[] {
  const gaps: SequenceRange[] = [];
  let next = last + 1;
  for (const sequence of sequences) {
    if (sequence > next && gaps.length < GAPS_MAX) gaps.push({ first: next, last: sequence - 1 });
    next = Math.max(next, sequence + 1);
  }
  return gaps;
}
