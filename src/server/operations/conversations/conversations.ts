import type { Call } from '../../../memory/call.ts';
import {
  type ConversationMessage,
  MESSAGE_TYPE,
  messageId,
  messageOf,
  messageUri,
} from '../../../memory/conversation.ts';
import { isNamespaceMissing } from '../../../memory/errors.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Memory } from '../../../memory/memory.ts';
import type { ListOrder, ListPosition, ListRead } from '../../../storage/records.ts';
import { checkWhole, compare } from '../memories/list-memories.ts';
import type { MemoryDeps } from '../memories/operation-deps.ts';
import { waitForRevision } from '../memories/wait-for-revision.ts';
import type { VisibilityRules } from '../visibility/visibility.ts';

/** A conversation: a namespace and the id that its messages have as `scope.session`. */
export interface ConversationKey {
  readonly namespace: string;
  readonly conversation: string;
}

/** Dependencies of operations on conversations. */
export interface ConversationDeps extends MemoryDeps {
  readonly conversations: OpenConversations;
  readonly visibilityRules: Pick<VisibilityRules, 'of'>;
  /** Messages are durable. `throughSequence`: the agent's invocation has ended with it; they are to be extracted now. */
  onAppended(key: ConversationKey, throughSequence?: number): void;
}

/** Maximum conversations whose highest sequence number is cached. */
const KNOWN_MAX = 10_000;

/** Writes of one conversation follow one another in this process; writes of other servers are noticed by the store. */
export class OpenConversations {
  private readonly running = new Map<string, Promise<unknown>>();
  private readonly last = new Map<string, number>();

  async alone<T>(key: ConversationKey, work: () => Promise<T>): Promise<T> {
    const name = nameOf(key);
    const before = this.running.get(name);
    const own = before ? before.then(work, work) : work();
    this.running.set(name, own);
    try {
      return await own;
    } finally {
      if (this.running.get(name) === own) this.running.delete(name);
    }
  }

  /** The highest sequence number, as far as it is remembered; another server, or Forget, may have changed it since. */
  remembered(key: ConversationKey): number | undefined {
    return this.last.get(nameOf(key));
  }

  remember(key: ConversationKey, sequence: number | undefined): void {
    const name = nameOf(key);
    this.last.delete(name);
    if (sequence === undefined) return;
    this.last.set(name, sequence);
    if (this.last.size <= KNOWN_MAX) return;
    for (const oldest of this.last.keys()) {
      this.last.delete(oldest);
      return;
    }
  }
}

function nameOf({ namespace, conversation }: ConversationKey): string {
  return `${namespace}/${conversation}`;
}

/** The messages of a conversation from a sequence number on. */
export function messagesFilter(conversation: string, fromSequence = 0): Filter {
  const filters = [
    compare('type', 'equals', MESSAGE_TYPE),
    compare('session', 'equals', conversation),
    compare('source_uri', 'starts_with', messageUri(conversation, 0).slice(0, -1)),
    ...(fromSequence > 0 ? [compare('step', 'greater_or_equal', fromSequence)] : []),
  ];
  return { kind: 'all', filters };
}

type Reads = Pick<MemoryDeps, 'store' | 'view' | 'clock'>;

/** Whether any conversation of the namespace has a message. */
export async function hasMessages(deps: Reads, namespace: string): Promise<boolean> {
  const ofConversations = compare('source_uri', 'starts_with', 'conversations/');
  const filters = [compare('type', 'equals', MESSAGE_TYPE), ofConversations];
  return (await firstOf(deps, { namespace, filter: { kind: 'all', filters }, view: 'metadata' })) !== undefined;
}

/** The memory of the message with the highest sequence number; `undefined` without any. */
export async function newestMessage(
  deps: Reads,
  { namespace, conversation }: ConversationKey,
  view: 'metadata' | 'basic',
): Promise<Memory | undefined> {
  return firstOf(deps, { namespace, filter: messagesFilter(conversation), view });
}

/** The memory with the highest step. */
async function firstOf(
  { view, clock }: Reads,
  { namespace, ...read }: Pick<ListRead, 'namespace' | 'view'> & { readonly filter: Filter },
): Promise<Memory | undefined> {
  for (let after: ListPosition | undefined; ; ) {
    const bounds = { order: 'step_desc', limit: 1, bytesMax: 1, nowUs: clock.nowUs() } as const;
    const page = await view.list({ namespace, ...read, ...bounds, after });
    checkWhole(namespace, page);
    const [newest] = page.memories;
    if (newest || !page.next) return newest;
    after = page.next;
  }
}

/**
 * The highest sequence number: the cached one where the store still has it, otherwise from a list; -1 where the
 * conversation, or the namespace, does not exist yet.
 */
export async function lastSequence(deps: ConversationDeps, key: ConversationKey): Promise<number> {
  const { store, clock, conversations } = deps;
  const remembered = conversations.remembered(key);
  try {
    if (remembered !== undefined) {
      const ids = [messageId(key.conversation, remembered)];
      const [found] = await store.get({ namespace: key.namespace, ids, view: 'metadata', nowUs: clock.nowUs() });
      if (found) return remembered;
    }
    return (await newestMessage(deps, key, 'metadata'))?.step ?? -1;
  } catch (error) {
    if (isNamespaceMissing(error)) return -1;
    throw error;
  }
}

export interface ListMessagesRead extends ConversationKey {
  readonly fromSequence: number;
  readonly order: Extract<ListOrder, 'step_asc' | 'step_desc'>;
  readonly limit: number;
  readonly bytesMax: number;
  readonly after?: ListPosition;
  /** 0 when any state will do. */
  readonly minRevision: number;
}

export interface MessagePage {
  readonly messages: readonly ConversationMessage[];
  /** Ids of messages that cannot be read. */
  readonly damagedIds: readonly string[];
  readonly next?: ListPosition;
  readonly revision: number;
}

/** One page of messages; the revision is one whose changes the page includes completely. */
export async function listMessages(
  { store, view, clock }: Reads,
  { conversation, fromSequence, minRevision, ...read }: ListMessagesRead,
  call: Call,
): Promise<MessagePage> {
  if (minRevision > store.revision) await waitForRevision(store, minRevision, call);
  const { revision } = store;
  const filter = messagesFilter(conversation, fromSequence);
  const page = await view.list({ ...read, filter, view: 'basic', nowUs: clock.nowUs() });
  const messages = page.memories.flatMap((memory) => messageOf(memory) ?? []);
  return { messages, damagedIds: page.damagedIds ?? [], next: page.next, revision };
}
