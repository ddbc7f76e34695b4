import { createHash, randomUUID } from 'node:crypto';
import type {
  AddMessagesContext,
  ExtractionConfig,
  JSONValue,
  MemoryEntry,
  MemoryStore,
  MessageData,
  SearchOptions,
} from '@strands-agents/sdk';
import { isAskedAgain } from '../asked-again.ts';
import { guardedClient } from '../breaker.ts';
import { checkOptions } from '../check-options.ts';
import { Content } from '../content.ts';
import type { Context, ContextQuery } from '../context-types.ts';
import type { FlushResult, NewConversationMessage } from '../conversation-types.ts';
import { cut } from '../cut.ts';
import { MnemeError } from '../errors.ts';
import type { FilterLike } from '../filter.ts';
import { connect, type Mneme } from '../index.ts';
import type { Scope } from '../memory.ts';
import type { ConnectOptions } from '../options.ts';
import type { RecallHit } from '../recall-types.ts';
import { conversationMessage } from './agent-messages.ts';

/** Limit of a query, in bytes: the server searches no more of it. */
const QUERY_BYTES = 8192;
const MESSAGES_PER_CALL = 1000;
const DEFAULT_RESULTS = 3;
/** Questions of former turns that may be among the hits, in addition to the results. */
const ASKED_AGAIN = 5;
const RESULTS_MAX = 1000;
/** How often another writer of the conversation may take the numbers. */
const CONFLICTS = 3;

/** Where the memories of a store are, and how it is used. */
export interface MnemeStoreConfig {
  /** Name of the store in results and targets. */
  readonly name: string;
  /** Goes into the descriptions of the tools. */
  readonly description?: string;
  /** Limit of a search, unless the call has one. Default 3. */
  readonly maxSearchResults?: number;
  /** Whether the store takes writes. Default false. */
  readonly writable?: boolean;
  /** Sends the messages of the conversation; `true`: every 5 turns. Default false. */
  readonly extraction?: boolean | ExtractionConfig;
  /** Address of the server. Default `127.0.0.1:50051`. */
  readonly address?: string;
  /** Options of the client, such as `namespace` and `token`. */
  readonly connect?: ConnectOptions;
  /** A client to use in place of `address` and `connect`. */
  readonly client?: Mneme;
  /** Owner of what is written, and whose memories are found, with its ancestors. */
  readonly scope?: Scope;
  /** Which memories are found. Default: all. */
  readonly filter?: FilterLike;
  /** Lowest relevance of what is found, 0 to 1. Default: the namespace's setting (0.07); 0 finds all. */
  readonly minRelevance?: number;
  /** Id of the conversation of the messages. Default: a new one for each agent. */
  readonly conversation?: string;
  /** Type of the memories of `add`. Default `fact`. */
  readonly type?: string;
  /** Longest time of a search, in milliseconds. Default 1,000. */
  readonly searchTimeoutMs?: number;
  /** Longest time of a write, in milliseconds. Default 10,000. */
  readonly writeTimeoutMs?: number;
  /** Makes an agent fail at its start when the server does not answer. Default false. */
  readonly checkServer?: boolean;
}

/**
 * A memory store of Strands in a namespace of Mneme. `search` recalls; `add` stores one memory; `addMessages` appends to a
 * conversation, from which the server extracts memories by itself. Metadata of entries that begin with `_` are the
 * server's: `_id`, `_relevance` (0 to 1, comparable between stores), `_score`, `_type`,
 * `_time`, `_trust` and `_speaker`.
 */
export class MnemeMemoryStore implements MemoryStore {
  readonly name: string;
  readonly description?: string;
  readonly maxSearchResults?: number;
  readonly writable: boolean;
  /** Whether and when the messages of the conversation are sent. */
  readonly extraction?: boolean | ExtractionConfig;
  /** Id of the conversation of the messages. */
  readonly conversation: string;
  readonly #config: MnemeStoreConfig;
  readonly #client: Mneme;
  readonly #runId = randomUUID();
  /** Sequence number in the conversation of the run's message 0; `undefined` until it is known. */
  #base: number | undefined;
  #hasUnextracted = false;
  /** The last append: appends of one conversation follow one another. */
  #appended: Promise<void> = Promise.resolve();

  constructor(config: MnemeStoreConfig) {
    checkOptions('strands.MnemeStoreConfig', config, 'MnemeMemoryStore');
    this.name = config.name;
    if (config.description !== undefined) this.description = config.description;
    if (config.maxSearchResults !== undefined) this.maxSearchResults = config.maxSearchResults;
    this.writable = config.writable ?? false;
    if (config.extraction !== undefined) this.extraction = config.extraction;
    this.#config = config;
    this.#client = guardedClient(config.client ?? connect(config.address, config.connect), this.#searchTimeoutMs);
    this.conversation = config.conversation ?? this.#runId;
    this.#base = config.conversation === undefined ? 0 : undefined;
  }

  /** Whether messages were sent since the last flush that was complete. */
  get hasUnextracted(): boolean {
    return this.#hasUnextracted;
  }

  /** The same store for the messages of another agent, whose sequence numbers begin at 0 again. */
  newRun(): MnemeMemoryStore {
    return new MnemeMemoryStore({ ...this.#config, client: this.#client });
  }

  /** Fails when the server does not answer and `checkServer` is set. */
  async initialize(): Promise<void> {
    if (this.#config.checkServer) await this.#client.admin.getServerInfo({ timeoutMs: this.#writeTimeoutMs });
  }

  /** Memories that answer the query, best first. */
  async search(query: string, options: SearchOptions = {}): Promise<MemoryEntry[]> {
    const text = cut(query, QUERY_BYTES).trim();
    if (text === '') return [];
    const { scope, filter, minRelevance, maxSearchResults } = this.#config;
    const limit = options.maxSearchResults ?? maxSearchResults ?? DEFAULT_RESULTS;
    const found = await this.#client.recall(
      {
        text,
        limit: Math.min(limit + ASKED_AGAIN, RESULTS_MAX),
        minRelevance,
        ...(scope && { scope }),
        ...(filter !== undefined && { filter }),
      },
      { timeoutMs: this.#searchTimeoutMs },
    );
    const answers = found.hits.filter(({ memory }) => !isAskedAgain(memory, text));
    return answers
      .map(entryOf)
      .filter(({ content }) => content !== '')
      .slice(0, limit);
  }

  /** Text of what is remembered for a model, as `Mneme.buildContext`, within `searchTimeoutMs`. */
  buildContext(query: ContextQuery): Promise<Context> {
    const { scope, minRelevance } = this.#config;
    const asked = { ...(scope && { scope }), minRelevance, ...query };
    return this.#client.buildContext(asked, { timeoutMs: this.#searchTimeoutMs });
  }

  /** Stores a memory and returns its id. The same content and metadata have one effect in a run. */
  async add(content: string, metadata: Record<string, JSONValue> = {}): Promise<string> {
    const provided = Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('_')));
    const { scope, type = 'fact' } = this.#config;
    const requestId = createHash('sha256')
      .update(JSON.stringify([this.#runId, content, provided]))
      .digest('hex');
    const isPlain = Object.keys(provided).length === 0;
    const memory = { text: content, type, ...(scope && { scope }), ...(!isPlain && { content: provided }) };
    const { id } = await this.#client.store(memory, { requestId, timeoutMs: this.#writeTimeoutMs });
    return id;
  }

  /**
   * Appends messages to the conversation of the run and has the server extract from them. Messages with sequence numbers
   * are stored once, however often they are sent.
   */
  addMessages(messages: MessageData[], { sequenceNumbers }: AddMessagesContext = {}): Promise<void> {
    const kept = messages.flatMap((message, index) => {
      const made = conversationMessage(message);
      const sequence = sequenceNumbers?.[index];
      return made === undefined ? [] : [sequence === undefined ? made : { ...made, sequence }];
    });
    const appended = this.#appended.then(async () => {
      for (let start = 0; start < kept.length; start += MESSAGES_PER_CALL) {
        await this.#append(kept.slice(start, start + MESSAGES_PER_CALL));
      }
    });
    this.#appended = appended.catch(() => undefined);
    return appended;
  }

  /** Waits until the server has extracted the messages of the run, or the time has passed. */
  async flush(timeoutMs: number): Promise<FlushResult> {
    const result = await this.#client.conversations.flush({ conversation: this.conversation }, { timeoutMs });
    this.#hasUnextracted = !result.complete;
    return result;
  }

  /** Ends the connection, unless it is that of a client of the config. */
  async close(): Promise<void> {
    if (this.#config.client === undefined) await this.#client.close();
  }

  get #searchTimeoutMs(): number {
    return this.#config.searchTimeoutMs ?? 1000;
  }

  get #writeTimeoutMs(): number {
    return this.#config.writeTimeoutMs ?? 10_000;
  }

  /** Another writer of the conversation may have taken the numbers: then they begin after its messages. */
  async #append(messages: readonly NewConversationMessage[]): Promise<void> {
    const [first] = messages;
    for (let attempt = 1; ; attempt++) {
      // The numbers stay when the answer is lost: the messages may be stored.
      if (first?.sequence !== undefined) this.#base ??= (await this.#end()) - first.sequence;
      const base = this.#base ?? 0;
      try {
        await this.#send(messages.map((message) => numbered(message, base)));
        return;
      } catch (error) {
        const isConflict = error instanceof MnemeError && error.reason === 'MESSAGE_CONFLICT';
        if (!isConflict || this.#config.conversation === undefined || attempt === CONFLICTS) throw error;
        this.#base = undefined;
      }
    }
  }

  async #send(messages: readonly NewConversationMessage[]): Promise<void> {
    const { session: _, ...scope } = this.#config.scope ?? {};
    const query = { endOfInvocation: true, ...(Object.keys(scope).length > 0 && { scope }) };
    await this.#client.conversations.append(this.conversation, messages, query, { timeoutMs: this.#writeTimeoutMs });
    this.#hasUnextracted = true;
  }

  /** Sequence number after the last message of the conversation. */
  async #end(): Promise<number> {
    const query = { descending: true, pageSize: 1 };
    try {
      const newest = this.#client.conversations.list(this.conversation, query, { timeoutMs: this.#writeTimeoutMs });
      for await (const { sequence } of newest) return sequence + 1;
      return 0;
    } catch (error) {
      if (error instanceof MnemeError && error.code === 'NOT_FOUND') return 0;
      throw error;
    }
  }
}

function numbered(message: NewConversationMessage, base: number): NewConversationMessage {
  return message.sequence === undefined ? message : { ...message, sequence: base + message.sequence };
}

function entryOf({ memory, relevance, score, passage, trust }: RecallHit): MemoryEntry {
  const { content } = memory;
  const isJson = content instanceof Content && content.mediaType === 'application/json';
  const provided: unknown = isJson ? content.json() : undefined;
  const { speaker } = memory.source;
  const metadata: Record<string, JSONValue> = {
    ...(isFields(provided) ? provided : {}),
    _id: memory.id,
    _relevance: relevance,
    _score: score,
    _type: memory.type,
    _trust: trust,
    _time: memory.eventTime.toISOString(),
  };
  if (speaker !== undefined) metadata._speaker = speaker;
  else delete metadata._speaker; // A content cannot name a speaker of its memory.
  return { content: passage?.text ?? memory.text, metadata };
}

function isFields(value: unknown): value is Record<string, JSONValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
