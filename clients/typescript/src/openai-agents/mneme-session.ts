import { createHash, randomUUID } from 'node:crypto';
import type {
  AgentInputItem,
  RunContext,
  RunContextAwareSession,
  SessionHistoryMutation,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents';
import { badInput } from '../bad-input.ts';
import { guardedClient } from '../breaker.ts';
import { checkOptions } from '../check-options.ts';
import { Content } from '../content.ts';
import type { NewConversationMessage } from '../conversation-types.ts';
import { MnemeError } from '../errors.ts';
import { connect, type Mneme } from '../index.ts';
import type { Scope } from '../memory.ts';
import type { ConnectOptions, WriteOptions } from '../options.ts';
import { canonicalItems, itemOf, messagesOf, sameItems } from './item-messages.ts';

const ITEMS_PER_CALL = 1000;
/** Bytes of exact items in a request, below the 4 MiB of a request: readable blocks are no larger than their items. */
const REQUEST_BYTES = 1_500_000;
/** How long the server knows an operation. */
const OPERATION_TTL_MS = 24 * 3_600_000;
/** How often another writer may change the session while its suffix is replaced. */
const TRIES = 5;
/** A sequence number that no session reaches. */
const NO_SEQUENCE = 2 ** 52;

/** Where a session is, and how it is used. */
export interface MnemeSessionConfig<TContext = unknown> {
  /** Id of the session, and of the conversation that it is. Default: a new one. */
  readonly sessionId?: string;
  /** Address of the server. Default `127.0.0.1:50051`. */
  readonly address?: string;
  /** Options of the client, such as `namespace` and `token`. */
  readonly connect?: ConnectOptions;
  /** A client to use in place of `address` and `connect`. */
  readonly client?: Mneme;
  /** Owner of the messages, or a function of the context of the run that returns it. */
  readonly scope?: OwnerScope | ((context: RunContext<TContext> | undefined) => OwnerScope | undefined);
  /** Newest items that `getItems` returns without a limit. Default: all. */
  readonly limit?: number;
  /** Extracts memories right after items were added. Default false: by the triggers of the namespace. */
  readonly endOfInvocation?: boolean;
  /** Longest time of a call, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
}

/** Owner of messages: project, agent type and agent. */
export type OwnerScope = Omit<Scope, 'session'>;

/** Items at the end of a session, and what takes their place. */
interface Suffix {
  readonly expected: readonly AgentInputItem[];
  readonly replacement: readonly AgentInputItem[];
  readonly messages: readonly NewConversationMessage[];
}

/**
 * A `Session` for `run(agent, input, { session })`: a conversation of the server with every item exactly as it was added.
 * Several runs and processes may share it.
 */
export class MnemeSession<TContext = unknown>
  implements RunContextAwareSession<TContext>, SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  readonly acceptsRunContext = true;
  readonly sessionId: string;
  /** The client of the server, for example to recall what was said in all sessions. */
  readonly client: Mneme;
  readonly #config: MnemeSessionConfig<TContext>;
  /** The last context: mutations come without one, and keep the owner. */
  #context: RunContext<TContext> | undefined;
  /** The last write: writes of one session follow one another. */
  #written: Promise<unknown> = Promise.resolve();

  constructor(config: MnemeSessionConfig<TContext> = {}) {
    checkOptions('openaiAgents.MnemeSessionConfig', config, 'MnemeSession');
    this.sessionId = config.sessionId ?? randomUUID();
    if (this.sessionId === '') throw badInput('sessionId', 'must not be empty');
    this.client = guardedClient(config.client ?? connect(config.address, config.connect));
    this.#config = config;
  }

  async getSessionId(): Promise<string> {
    return this.sessionId;
  }

  /** The newest `limit` items, oldest first. */
  async getItems(limit = this.#config.limit, _context?: RunContext<TContext>): Promise<AgentInputItem[]> {
    const tail = await this.#tail(limit ?? Number.POSITIVE_INFINITY);
    return tail.map(({ item }) => item);
  }

  /**
   * Appends items; resolves when they are durable. Up to 1,000 items with 1.5 MB are stored all or not at all; larger lists
   * in parts of that size.
   */
  async addItems(items: AgentInputItem[], context?: RunContext<TContext>): Promise<void> {
    const parts = [...partsOf(messagesOf(items, 'items'))];
    const query = this.#owner(context);
    await this.#alone(async () => {
      for (const part of parts) await this.#append(part, query, {});
    });
  }

  /** Removes the newest item and returns it. */
  popItem(_context?: RunContext<TContext>): Promise<AgentInputItem | undefined> {
    return this.#alone(async () => {
      const popped = await storedOr(undefined, () => this.client.conversations.pop(this.sessionId, {}, this.#timeout));
      return popped && itemOf(popped);
    });
  }

  /** Removes all items. */
  async clearSession(_context?: RunContext<TContext>): Promise<void> {
    await this.#alone(() => storedOr(undefined, () => this.client.conversations.clear(this.sessionId, this.#timeout)));
  }

  /** Replaces all items, at most 1,000, by at most 1,000 others in one write. */
  async replaceHistoryWithCompaction(items: AgentInputItem[], context?: RunContext<TContext>): Promise<void> {
    const messages = wholeRequest(messagesOf(items, 'items'), 'items');
    await this.#alone(() =>
      retried(async () => {
        const tail = await this.#tail(ITEMS_PER_CALL + 1);
        if (tail.length > ITEMS_PER_CALL) throw badInput('items', `replace at most ${ITEMS_PER_CALL} items`);
        const [first] = tail;
        if (first) await this.#replace(first.sequence, tail.length, messages, context, {});
        else await this.#append(messages, this.#owner(context), {});
      }),
    );
  }

  /** Replaces calls of tools, among the newest 1,000 items, in one write. */
  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    await this.#alone(() =>
      retried(async () => {
        const tail = await this.#tail(ITEMS_PER_CALL);
        const first = tail.findIndex(({ item }) => mutations.some((mutation) => isReplaced(item, mutation)));
        const place = tail[first]?.sequence;
        if (place === undefined) return;
        const old = tail.slice(first).map(({ item }) => item);
        const messages = wholeRequest(
          messagesOf(mutations.reduce<readonly AgentInputItem[]>(mutated, old), 'mutations'),
          'mutations',
        );
        await this.#replace(place, old.length, messages, undefined, {});
      }),
    );
  }

  /**
   * Changes the session in one write, which a repetition with the same `operationId` within 24 hours does not make again.
   * At most 1,000 items, with 1.5 MB.
   */
  async applyHistoryTransaction(args: SessionHistoryTransactionArgs, context?: RunContext<TContext>): Promise<void> {
    const { operationId, transaction } = args;
    if (typeof operationId !== 'string' || operationId.trim() === '')
      throw badInput('operationId', 'must not be empty');
    const requestId = digestOf(this.sessionId, operationId);
    const isAppend = transaction.type === 'append_items';
    if (!isAppend && transaction.type !== 'replace_suffix') {
      throw badInput('transaction.type', 'must be append_items or replace_suffix');
    }
    const expected = isAppend ? [] : transaction.expectedSuffix;
    const replacement = isAppend ? transaction.items : transaction.replacement;
    wholeRequest(messagesOf(expected, 'transaction.expectedSuffix'), 'transaction.expectedSuffix');
    const field = isAppend ? 'transaction.items' : 'transaction.replacement';
    const messages = wholeRequest(messagesOf(replacement, field), field);
    await this.#alone(() =>
      expected.length === 0
        ? this.#append(messages, this.#owner(context), { requestId })
        : this.#replaceSuffix(requestId, { expected, replacement, messages }, context),
    );
  }

  /** Ends the connection, unless it is that of a client of the config. */
  async close(): Promise<void> {
    if (this.#config.client === undefined) await this.client.close();
  }

  get #timeout(): { readonly timeoutMs: number } {
    return { timeoutMs: this.#config.timeoutMs ?? 10_000 };
  }

  #alone<T>(write: () => Promise<T>): Promise<T> {
    const written = this.#written.then(write);
    this.#written = written.catch(() => undefined);
    return written;
  }

  #owner(context?: RunContext<TContext>): { readonly scope?: OwnerScope } {
    const { scope } = this.#config;
    if (context !== undefined) this.#context = context;
    const owner = typeof scope === 'function' ? scope(this.#context) : scope;
    return owner ? { scope: owner } : {};
  }

  async #tail(limit: number): Promise<{ readonly sequence: number; readonly item: AgentInputItem }[]> {
    if (!(limit > 0)) return [];
    const query = { descending: true, pageSize: Math.min(Math.ceil(limit), ITEMS_PER_CALL) };
    return storedOr([], async () => {
      const tail = [];
      for await (const message of this.client.conversations.list(this.sessionId, query, this.#timeout)) {
        tail.push({ sequence: message.sequence, item: itemOf(message) });
        if (tail.length >= limit) break;
      }
      return tail.reverse();
    });
  }

  async #append(messages: readonly NewConversationMessage[], owner: object, options: WriteOptions): Promise<void> {
    if (messages.length === 0) return;
    const query = { ...owner, endOfInvocation: this.#config.endOfInvocation ?? false };
    await this.client.conversations.append(this.sessionId, messages, query, { ...this.#timeout, ...options });
  }

  async #replace(
    firstSequence: number,
    expectedCount: number,
    messages: readonly NewConversationMessage[],
    context: RunContext<TContext> | undefined,
    options: WriteOptions,
  ): Promise<void> {
    const query = { firstSequence, expectedCount, messages, ...this.#owner(context) };
    await this.client.conversations.replaceSuffix(this.sessionId, query, { ...this.#timeout, ...options });
  }

  /** A digest of the transaction is stored before it is made: a repetition is known by it, another transaction refused. */
  async #replaceSuffix(requestId: string, suffix: Suffix, context: RunContext<TContext> | undefined): Promise<void> {
    const { expected, replacement, messages } = suffix;
    const notes = this.client.session(`openai-agents:${digestOf(this.sessionId)}`);
    const digest = digestOf(canonicalItems(expected), canonicalItems(replacement));
    await retried(async () => {
      if (await this.#isMade(requestId)) {
        const made = await notes.get(requestId, this.#timeout);
        if (made?.value.text() === digest) return;
        throw badInput('operationId', 'was used for another transaction');
      }
      const tail = await this.#tail(expected.length);
      const items = tail.map(({ item }) => item);
      const [first] = tail;
      if (!first || !sameItems(items, expected)) {
        throw badInput('transaction.expectedSuffix', 'the session does not end with these items');
      }
      await notes.set(requestId, Content.text(digest), { ...this.#timeout, expiry: { ttlMs: OPERATION_TTL_MS } });
      await this.#replace(first.sequence, expected.length, messages, context, { requestId });
    });
  }

  /** Whether a write with the id was made: if not, this one fails, since no session has its sequence number. */
  async #isMade(requestId: string): Promise<boolean> {
    try {
      await this.#replace(NO_SEQUENCE, 1, [], undefined, { requestId });
    } catch (error) {
      if (hasReason(error, 'REQUEST_ID_REUSED')) return true;
      if (!hasReason(error, 'SUFFIX_MISMATCH', 'NAMESPACE_NOT_FOUND')) throw error;
    }
    return false;
  }
}

/** The replacement takes the place of the first call with its id; others with the id are removed. */
function mutated(items: readonly AgentInputItem[], mutation: SessionHistoryMutation): AgentInputItem[] {
  const first = items.findIndex((item) => isReplaced(item, mutation));
  return items.flatMap((item, at) => {
    if (!isReplaced(item, mutation)) return [item];
    return at === first ? [mutation.replacement] : [];
  });
}

function isReplaced(item: AgentInputItem, { callId }: SessionHistoryMutation): boolean {
  return item.type === 'function_call' && item.callId === callId;
}

/** Makes a write again that another writer has got ahead of. */
async function retried(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!hasReason(error, 'SUFFIX_MISMATCH', 'REQUEST_ID_REUSED') || attempt === TRIES) throw error;
    }
  }
}

/** The result of a call, or `nothing` when what it is about was never stored. */
async function storedOr<T, N>(nothing: N, call: () => Promise<T>): Promise<T | N> {
  try {
    return await call();
  } catch (error) {
    if (hasReason(error, 'NAMESPACE_NOT_FOUND', 'CONVERSATION_NOT_FOUND')) return nothing;
    throw error;
  }
}

function hasReason(error: unknown, ...reasons: readonly string[]): boolean {
  return error instanceof MnemeError && error.reason !== undefined && reasons.includes(error.reason);
}

function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function wholeRequest(messages: NewConversationMessage[], field: string): NewConversationMessage[] {
  if ([...partsOf(messages)].length > 1) {
    throw badInput(field, `at most ${ITEMS_PER_CALL} items with ${REQUEST_BYTES} bytes can be stored in one write`);
  }
  return messages;
}

function* partsOf(messages: readonly NewConversationMessage[]): Generator<NewConversationMessage[]> {
  let part: NewConversationMessage[] = [];
  let room = REQUEST_BYTES;
  for (const message of messages) {
    const exact = message.blocks?.at(-1);
    const size = exact && 'data' in exact && exact.data instanceof Content ? exact.data.data.length : 0;
    if (part.length === ITEMS_PER_CALL || (part.length > 0 && size > room)) {
      yield part;
      part = [];
      room = REQUEST_BYTES;
    }
    part.push(message);
    room -= size;
  }
  if (part.length > 0) yield part;
}
