import { checkOptions } from '../check-options.ts';
import type { Mneme } from '../index.ts';
import { systemTiming, type Timing } from '../streams/timing.ts';
import { clearCaches, setDefaultTtl } from './cache.ts';
import { checkedAgentId, type MemoryTier } from './checks.ts';
import { MemoryConfig, type MemoryConfigChanges, type MemoryOptions } from './config.ts';
import { Engine } from './engine.ts';
import type { MemoryEntry } from './entries.ts';
import {
  failingAs,
  type Kind,
  MemoryConfigException,
  MemoryMaintenanceException,
  MemoryRetrievalException,
  MemoryStoreException,
  refused,
} from './errors.ts';
import { EventHooks } from './memory-events.ts';
import { loadFile, saveFile } from './memory-files.ts';
import { type FlushReport, MemoryQueue } from './memory-queue.ts';
import { type EventHook, type MemoryData, MemorySpace, type MemoryStatisticsEntry } from './memory-space.ts';
import { type Fields, isRecord } from './models.ts';
import { closeAtExit } from './process-end.ts';
import type { AttributeChangeEntry } from './retrieval.ts';
import type { QueryState, SearchOptions } from './search.ts';
import { shown } from './shown.ts';

/** Time for memories that wait when an API is closed, or when the process ends. */
const CLOSE_TIMEOUT_MS = 5_000;
const FLUSH_TIMEOUT_MS = 10_000;
const FIXED = ['address', 'namespace', 'token', 'connect', 'queueLimit', 'queueBytes'] as const;

export interface AgentMemoryAPIOptions {
  /** A client to use in place of a new one; it stays open when the API is closed. */
  readonly client?: Mneme;
  /** Timers, for tests. Default: those of the process. */
  readonly timing?: Timing;
  /** Milliseconds since 1970, for tests. Default: the clock of the system. */
  readonly wallClock?: () => number;
}

/**
 * The memories of agents in a namespace of a Mneme server.
 *
 * Nothing is sent until the first call, which makes the namespace where it is missing and sends the options of the
 * configuration that were set.
 */
export class AgentMemoryAPI {
  readonly #engine: Engine;
  readonly #events: EventHooks<MemorySpace>;
  readonly #queue: MemoryQueue;
  #isClosed = false;

  constructor(config: MemoryConfig | MemoryOptions = {}, options: AgentMemoryAPIOptions = {}) {
    if (!isRecord(config)) {
      const problem = `must be a MemoryConfig or an object of its options, got ${shown(config)}`;
      throw refused(MemoryConfigException, 'config', problem);
    }
    const checked = config instanceof MemoryConfig ? config : new MemoryConfig().changed(config);
    checkOptions('agentmemory.AgentMemoryAPIOptions', options, 'AgentMemoryAPI');
    const { client, timing = systemTiming, wallClock = Date.now } = options;
    this.#engine = new Engine(checked, client, timing, wallClock);
    this.#events = new EventHooks(this.#engine);
    this.#queue = new MemoryQueue(this.#engine, checked.queueLimit, checked.queueBytes);
    closeAtExit(this);
  }

  /** The configuration. `configureMemorySystem` changes it. */
  get config(): MemoryConfig {
    return this.#engine.config;
  }

  /** The Mneme client, for everything that the server has beyond this API. */
  get client(): Mneme {
    return this.#engine.client;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The memories of one agent. Sends nothing. */
  getMemorySpace(agentId: string): MemorySpace {
    return new MemorySpace(this.#engine, this.#events, agentId);
  }

  /**
   * Stores a state durably. `priority`, 0 to 1, is also the importance of the memory. Two memories of one step are two
   * memories.
   */
  async storeAgentState(agentId: string, stateData: MemoryData, stepNumber: number, priority = 1): Promise<boolean> {
    return this.#space(MemoryStoreException, agentId).storeState(stateData, stepNumber, priority);
  }

  /** Stores an interaction durably. */
  async storeAgentInteraction(
    agentId: string,
    interactionData: MemoryData,
    stepNumber: number,
    priority = 1,
  ): Promise<boolean> {
    return this.#space(MemoryStoreException, agentId).storeInteraction(interactionData, stepNumber, priority);
  }

  /** Stores an action durably. */
  async storeAgentAction(agentId: string, actionData: MemoryData, stepNumber: number, priority = 1): Promise<boolean> {
    return this.#space(MemoryStoreException, agentId).storeAction(actionData, stepNumber, priority);
  }

  /** The entry with this id; `null` where the agent has none. Counts as an access, which may move the memory up. */
  async retrieveStateById(agentId: string, memoryId: string): Promise<MemoryEntry | null> {
    return this.#space(MemoryRetrievalException, agentId).retrieveStateById(memoryId);
  }

  /** The entries that happened last, latest first. */
  async retrieveRecentStates(agentId: string, count = 10, memoryType?: string): Promise<MemoryEntry[]> {
    return this.#space(MemoryRetrievalException, agentId).retrieveRecentStates(count, memoryType);
  }

  /**
   * The entries most like a state, best first. The result is kept until the next write through this API, or until its
   * time is over.
   */
  async retrieveSimilarStates(
    agentId: string,
    queryState: QueryState,
    k = 5,
    memoryType?: string,
  ): Promise<MemoryEntry[]> {
    return this.#space(MemoryRetrievalException, agentId).retrieveSimilarStates(queryState, k, memoryType);
  }

  /** The entries of a range of steps, both included, lowest step first. */
  async retrieveByTimeRange(
    agentId: string,
    startStep: number,
    endStep: number,
    memoryType?: string,
  ): Promise<MemoryEntry[]> {
    return this.#space(MemoryRetrievalException, agentId).retrieveByTimeRange(startStep, endStep, memoryType);
  }

  /** The entries whose contents have all of these values at their dotted paths, latest step first. */
  async retrieveByAttributes(
    agentId: string,
    attributes: Readonly<Fields>,
    memoryType?: string,
  ): Promise<MemoryEntry[]> {
    return this.#space(MemoryRetrievalException, agentId).retrieveByAttributes(attributes, memoryType);
  }

  /** The entries nearest to a vector of the server's model, best first. `memoryTiers`: default all. */
  async searchByEmbedding(
    agentId: string,
    queryEmbedding: Float32Array | readonly number[],
    k = 5,
    memoryTiers?: readonly MemoryTier[],
  ): Promise<MemoryEntry[]> {
    return this.#space(MemoryRetrievalException, agentId).searchByEmbedding(queryEmbedding, k, memoryTiers);
  }

  /** The entries that have words of a text, or of an object, in any order, best first. */
  async searchByContent(agentId: string, contentQuery: string | Readonly<Fields>, k = 5): Promise<MemoryEntry[]> {
    return this.#space(MemoryRetrievalException, agentId).searchByContent(contentQuery, k);
  }

  /** The entries that a search strategy finds; see `search` of `MemorySpace`. */
  async search(
    agentId: string,
    query: unknown,
    strategyName?: string,
    limit = 10,
    metadataFilter?: Readonly<Fields>,
    tier?: MemoryTier,
    options: SearchOptions = {},
  ): Promise<MemoryEntry[]> {
    const space = this.#space(MemoryRetrievalException, agentId);
    return space.search(query, strategyName, limit, metadataFilter, tier, options);
  }

  /** The state at each of the steps; `null` where there is none. */
  async getMemorySnapshots(agentId: string, steps: readonly number[]): Promise<Map<number, MemoryEntry | null>> {
    return this.#space(MemoryRetrievalException, agentId).getMemorySnapshots(steps);
  }

  /** Changes of a value in the states, by step. `attributeName` may be a dotted path. */
  async getAttributeChangeHistory(
    agentId: string,
    attributeName: string,
    startStep?: number,
    endStep?: number,
  ): Promise<AttributeChangeEntry[]> {
    const space = this.#space(MemoryRetrievalException, agentId);
    return space.getAttributeChangeHistory(attributeName, startStep, endStep);
  }

  /** Counts of memories by tier and by type, of all tiers, and the last maintenance by this API. */
  async getMemoryStatistics(agentId: string): Promise<MemoryStatisticsEntry> {
    return this.#space(MemoryRetrievalException, agentId).getMemoryStatistics();
  }

  /** Moves memories down that are over the limits or the times to live of their tiers: of one agent, or of all. */
  async forceMemoryMaintenance(agentId?: string): Promise<boolean> {
    if (agentId !== undefined) return this.#space(MemoryMaintenanceException, agentId).forceMemoryMaintenance();
    const operation = 'forceMemoryMaintenance';
    await failingAs(MemoryMaintenanceException, operation, {}, async () => {
      await this.#engine.ready(MemoryMaintenanceException, operation);
      await this.#engine.maintain(undefined);
    });
    this.#engine.maintained(undefined);
    return true;
  }

  /** Sets the importance of a memory, 0 to 1. False where the agent has no such memory. */
  async setImportanceScore(agentId: string, memoryId: string, importanceScore: number): Promise<boolean> {
    return this.#space(MemoryMaintenanceException, agentId).setImportanceScore(memoryId, importanceScore);
  }

  /** Erases the agent's memories: all, or those of tiers. */
  async clearAgentMemory(agentId: string, memoryTiers?: readonly MemoryTier[]): Promise<boolean> {
    return this.#space(MemoryMaintenanceException, agentId).clearAgentMemory(memoryTiers);
  }

  /** The same as `clearAgentMemory`. */
  clearMemory(agentId: string, memoryTiers?: readonly MemoryTier[]): Promise<boolean> {
    return this.clearAgentMemory(agentId, memoryTiers);
  }

  /**
   * Changes options, by name or by dotted name such as `stmConfig.memoryLimit`: all of them, or none. Connection,
   * namespace and queue stay as they are.
   */
  async configureMemorySystem(config: MemoryConfig | MemoryConfigChanges): Promise<boolean> {
    if (!isRecord(config)) {
      const problem = `must be a MemoryConfig or an object of its options, got ${shown(config)}`;
      throw refused(MemoryConfigException, 'config', problem);
    }
    const changes: Fields = config instanceof MemoryConfig ? config.asDict() : config;
    for (const name of FIXED) {
      if (changes[name] !== undefined && changes[name] !== this.config[name])
        throw refused(MemoryConfigException, name, 'cannot be changed: make another AgentMemoryAPI');
    }
    const changed = this.config.changed(changes);
    const known = this.config.settings();
    const news = Object.entries(changed.settings()).filter(([key, value]) => known[key] !== value);
    await this.#engine.changeConfig(changed, Object.fromEntries(news));
    return true;
  }

  /** Removes every kept result in the process, also those of `cacheable` functions. */
  clearCache(): void {
    clearCaches();
  }

  /** The same as `clearCache`. */
  clearAllCaches(): void {
    clearCaches();
  }

  /** Sets how long results are kept, in seconds, where a `cacheable` function has no time of its own. */
  setCacheTtl(ttl: number): void {
    setDefaultTtl(ttl);
  }

  /**
   * Stores the memories of a file that `save_to_json` of the upstream library wrote, each in its tier, and returns their
   * number. Loading it again changes nothing. Vectors of the file are stored where `embeddingModel` names their model;
   * otherwise the server computes its own.
   */
  loadFromJson(file: string, { embeddingModel }: { readonly embeddingModel?: string } = {}): Promise<number> {
    return loadFile(this.#engine, file, embeddingModel);
  }

  /** Writes the memories of an agent, or of all agents, into a file, and returns their number. */
  saveToJson(file: string, { agentId }: { readonly agentId?: string } = {}): Promise<number> {
    return saveFile(this.#engine, file, agentId);
  }

  /**
   * Registers `hook(data, memorySpace)` for an event of an agent. Hooks of a higher priority, 1 to 10 (default 5), are
   * called first; those of one priority in the order of registration.
   */
  registerMemoryHook(agentId: string, eventType: string, hook: EventHook, priority?: number): void {
    this.#events.register(checkedAgentId(MemoryConfigException, agentId), eventType, hook, priority);
  }

  /** Removes a hook; false where it is not registered. */
  unregisterMemoryHook(agentId: string, eventType: string, hook: EventHook): boolean {
    return this.#events.unregister(agentId, eventType, hook);
  }

  /**
   * Calls each hook of an event once, one after the other. True where there is one and none failed; a failure is logged
   * and reaches no caller. What a hook returns with `store_memory` is stored as a state.
   */
  async triggerMemoryEvent(agentId: string, eventType: string, data?: Readonly<Fields>): Promise<boolean> {
    return this.#events.trigger(this.#space(MemoryRetrievalException, agentId), eventType, data);
  }

  /** Waits until the memories of hooks are stored, at most `timeoutMs`, and says what was stored. */
  flush(timeoutMs = FLUSH_TIMEOUT_MS): Promise<FlushReport> {
    return this.#queue.flush(timeoutMs);
  }

  /**
   * Stores what waits, within `timeoutMs`, then closes the connection, unless the client was given. What was not stored is
   * in the report and in the log.
   */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<FlushReport> {
    const report = await this.#queue.close(timeoutMs);
    this.#isClosed = true;
    await this.#engine.close();
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @internal */
  get engine(): Engine {
    return this.#engine;
  }

  /** @internal */
  get queue(): MemoryQueue {
    return this.#queue;
  }

  #space(Kind: Kind, agentId: string): MemorySpace {
    return this.getMemorySpace(checkedAgentId(Kind, agentId));
  }
}
