import {
  type LocalAgent,
  type MemoryAddOptions,
  type MemoryEntry,
  type MemoryInjectionConfig,
  type MemoryManagerConfig,
  type MemorySearchOptions,
  type MemoryStore,
  type MessageData,
  MemoryManager as StrandsMemoryManager,
} from '@strands-agents/sdk';
import { ContextInjector } from '@strands-agents/sdk/vended-plugins/context-injector';
import { checkOptions } from '../check-options.ts';
import type { ContextQuery } from '../context-types.ts';
import { xmlEntry } from '../quoting.ts';
import { MnemeMemoryStore, type MnemeStoreConfig } from './mneme-memory-store.ts';
import { StoreCalls } from './store-calls.ts';

/** Last messages that a context is built for. */
const CONTEXT_MESSAGES = 20;

/** Injection of memories into the model's input. */
export interface MnemeInjectionConfig extends MemoryInjectionConfig {
  /**
   * Injects the context that each Mneme store builds within a budget of tokens, in place of `maxEntries` entries and
   * `format`. Other stores are not searched.
   */
  buildContext?: boolean | ContextQuery;
}

/** Options of `MemoryManager`. */
export interface MnemeMemoryManagerConfig extends Omit<MemoryManagerConfig, 'stores' | 'injection'> {
  /** Memory stores of Strands, or configs of `MnemeMemoryStore`. */
  readonly stores: readonly (MemoryStore | MnemeStoreConfig)[];
  /** Injection of memories into the model's input. Default true. */
  readonly injection?: boolean | MnemeInjectionConfig;
  /** Longest time for the search of one store, after which the results of the others are returned. Default 2,000. */
  readonly searchTimeoutMs?: number;
  /** Longest time for which `flush` waits for the extraction of one store. Default 5,000. */
  readonly flushTimeoutMs?: number;
}

/** A manager of Strands that returns the results of all stores in one order. */
class OrderingManager extends StrandsMemoryManager {
  /**
   * Entries of all stores, or of those that are named, best first by the relevance that stores report. Entries without one
   * follow, in the order of the stores.
   */
  override async search(query: string, options?: MemorySearchOptions): Promise<MemoryEntry[]> {
    const entries = await super.search(query, options);
    return entries.sort((one, other) => relevanceOf(other) - relevanceOf(one));
  }
}

/**
 * The memory manager of Strands with bounded searches, results of all stores in one order, a `flush` that waits for every
 * write, and any number of agents: `new Agent({ model, memoryManager: new MemoryManager({ stores: [...] }) })`.
 */
export class MemoryManager extends OrderingManager {
  readonly #stores: readonly MemoryStore[];
  readonly #calls: StoreCalls;
  readonly #options: MnemeMemoryManagerConfig;
  /** What saves the messages of each agent, with its runs in the stores of Mneme. */
  readonly #agents: {
    readonly agent: LocalAgent;
    readonly manager: OrderingManager;
    readonly runs: readonly MnemeMemoryStore[];
  }[] = [];

  constructor(config: MnemeMemoryManagerConfig) {
    checkOptions('strands.MnemeMemoryManagerConfig', config, 'MemoryManager');
    const stores = config.stores.map((store) => ('search' in store ? store : new MnemeMemoryStore(store)));
    const calls = new StoreCalls(config.searchTimeoutMs ?? 2000);
    super(configOf(config, stores, calls));
    this.#stores = stores;
    this.#calls = calls;
    this.#options = config;
  }

  /** Why the last search, write or flush of a store failed and what is not saved, by its name; empty when all succeeded. */
  get failures(): ReadonlyMap<string, string> {
    return this.#calls.failures;
  }

  /** Each agent has a run of its own in the stores: its messages are numbered from 0. */
  override async initAgent(agent: LocalAgent): Promise<void> {
    if (this.#agents.some((each) => each.agent === agent)) {
      throw new Error('MemoryManager: it is given to the agent twice; pass it as memoryManager only');
    }
    const stores = this.#stores.map((store) => (store instanceof MnemeMemoryStore ? store.newRun() : store));
    const manager = new OrderingManager(configOf(this.#options, stores, this.#calls));
    await manager.initAgent(agent);
    const { injection } = this.#options;
    if (typeof injection === 'object' && injection.buildContext) this.#injectContexts(agent, injection);
    this.#agents.push({ agent, manager, runs: stores.filter((store) => store instanceof MnemeMemoryStore) });
  }

  /** Adds to all writable stores, or to those that are named; those that failed are named in an `AggregateError`. */
  override async add(content: string, options?: MemoryAddOptions, detached?: boolean): Promise<void> {
    for (const { name, writable, add } of this.#stores) {
      if (options?.stores?.includes(name) && writable && add === undefined) {
        throw new Error(`MemoryManager: store '${name}' has no add method (only addMessages)`);
      }
    }
    await super.add(content, options, detached);
  }

  /**
   * Waits for all writes, sends every message that is not saved yet, and waits until the servers have extracted from them,
   * at most `flushTimeoutMs`. Never rejects: what is pending or has failed is named in `failures`.
   */
  override async flush(): Promise<void> {
    await this.#calls.written();
    await Promise.all(this.#agents.map(({ manager }) => manager.flush()));
    const runs = this.#agents.flatMap((each) => each.runs).filter(({ hasUnextracted }) => hasUnextracted);
    await Promise.all(runs.map((run) => this.#calls.attempt(run.name, 'flush', () => this.#flush(run))));
  }

  /** Flushes, then ends the connections of the stores. */
  async close(): Promise<void> {
    await this.flush();
    await Promise.all(this.#mnemeStores().map((store) => store.close()));
  }

  async #flush(run: MnemeMemoryStore): Promise<void> {
    const { complete, pendingCount, conversations } = await run.flush(this.#options.flushTimeoutMs ?? 5000);
    if (complete) return;
    const errors = conversations.map(({ error }) => error).filter((error) => error !== '');
    throw new Error([`${pendingCount} messages are not extracted`, ...errors].join('; '));
  }

  #mnemeStores(): MnemeMemoryStore[] {
    return this.#stores.filter((store) => store instanceof MnemeMemoryStore);
  }

  #injectContexts(agent: LocalAgent, { trigger, query, buildContext }: MnemeInjectionConfig): void {
    const wanted = typeof buildContext === 'object' ? buildContext : {};
    const injector = new ContextInjector({
      name: 'mneme:context',
      ...(trigger !== undefined && { trigger }),
      renderContent: ({ messages }) => this.#contextOf(messages, query, wanted),
    });
    injector.initAgent(agent);
  }

  /** The contexts of all Mneme stores; one that fails is left out. */
  async #contextOf(
    messages: MessageData[],
    query: MemoryInjectionConfig['query'],
    wanted: ContextQuery,
  ): Promise<string | undefined> {
    const asked = query?.({ messages });
    if (query !== undefined && !asked?.trim()) return undefined;
    const recent = messages
      .map(({ role, content }) => ({ role, text: textOf(content) }))
      .filter(({ text }) => text !== '')
      .slice(-CONTEXT_MESSAGES);
    const cue = { messages: recent, ...(asked !== undefined && { query: asked }), ...wanted };
    const contexts = await Promise.all(
      this.#mnemeStores().map((store) =>
        this.#calls.attempt(store.name, 'buildContext', () => store.buildContext(cue)),
      ),
    );
    const texts = contexts.flatMap((context) => (context?.text ? [context.text] : []));
    return texts.length === 0 ? undefined : texts.join('\n');
  }
}

/** The config for Strands' manager. Contexts of the server are injected by another plugin. */
function configOf(
  { searchTimeoutMs: _, flushTimeoutMs: __, injection = true, ...config }: MnemeMemoryManagerConfig,
  stores: readonly MemoryStore[],
  calls: StoreCalls,
): MemoryManagerConfig {
  return { ...config, injection: injectionOf(injection), stores: stores.map((store) => calls.bounded(store)) };
}

function injectionOf(injection: boolean | MnemeInjectionConfig): boolean | MemoryInjectionConfig {
  if (injection === false) return false;
  const { buildContext, ...options } = injection === true ? {} : injection;
  return buildContext ? false : { format: quotedEntries, ...options };
}

/** Entries as the contexts of the server: quoted, with the speaker, the trust in the source, and the day. */
function quotedEntries({ entries }: { readonly entries: readonly MemoryEntry[] }): string {
  const lines = entries.map(({ content, storeName, metadata = {} }) => {
    const text = (key: string) => (typeof metadata[key] === 'string' ? metadata[key] : undefined);
    const time = text('_time')?.slice(0, 10);
    return xmlEntry(content, { source: storeName, speaker: text('_speaker'), trust: text('_trust'), time });
  });
  return `<memory>\n${lines.join('\n')}\n</memory>`;
}

function textOf(content: MessageData['content']): string {
  return content.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n');
}

function relevanceOf({ metadata }: MemoryEntry): number {
  const found = metadata?.['_relevance'];
  return typeof found === 'number' ? found : -1;
}
