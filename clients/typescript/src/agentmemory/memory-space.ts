import { clearCaches, setDefaultTtl } from './cache.ts';
import {
  checkedAgentId,
  checkedContent,
  checkedRecord,
  checkedShare,
  checkedTiers,
  checkedType,
  checkedWhole,
  type MemoryTier,
  TIER_NAMES,
  TIERS,
} from './checks.ts';
import type { Engine } from './engine.ts';
import type { MemoryEntry } from './entries.ts';
import {
  failingAs,
  MemoryMaintenanceException,
  MemoryRetrievalException,
  MemoryStoreException,
  refused,
} from './errors.ts';
import type { EventHooks } from './memory-events.ts';
import type { Fields, Model } from './models.ts';
import { type AttributeChangeEntry, Retrieval } from './retrieval.ts';
import { NO_THRESHOLD, type QueryState, Search, type SearchOptions } from './search.ts';

const STORE = MemoryStoreException;
const MAINTENANCE = MemoryMaintenanceException;
const RETRIEVAL = MemoryRetrievalException;

/** Data of a memory: an object that JSON can carry, or a model. */
export type MemoryData = Readonly<Fields> | Model;

/**
 * Called with the data of an event and the agent's memory space; may be asynchronous. May return `{ store_memory: true,
 * memory_data, step_number, priority }`, which is stored as a state.
 */
export type EventHook = (data: Fields, memorySpace: MemorySpace) => unknown;

/** Counts of the memories of an agent. Names are those of the documented structure. */
export interface MemoryStatisticsEntry {
  total_memories: number;
  stm_count: number;
  im_count: number;
  ltm_count: number;
  /** Of all tiers. */
  memory_type_distribution: Record<string, number>;
  /** Of the last maintenance by this API, in seconds since 1970; `null` where there was none. */
  last_maintenance_time: number | null;
  insert_count_since_maintenance: number;
  /** In seconds since 1970. */
  timestamp: number;
  tiers: Record<MemoryTier, { count: number; size_bytes: number }>;
}

/** The memories of one agent: from `getMemorySpace` of an `AgentMemoryAPI`. */
export class MemorySpace {
  readonly agentId: string;
  readonly #engine: Engine;
  readonly #events: EventHooks<MemorySpace>;
  readonly #retrieval: Retrieval;
  readonly #search: Search;

  /** @internal */
  constructor(engine: Engine, events: EventHooks<MemorySpace>, agentId: string) {
    this.agentId = checkedAgentId(RETRIEVAL, agentId);
    this.#engine = engine;
    this.#events = events;
    this.#retrieval = new Retrieval(engine, this.agentId);
    this.#search = new Search(this.#retrieval);
  }

  /** Stores a state durably. */
  storeState(stateData: MemoryData, stepNumber: number, priority = 1): Promise<boolean> {
    return this.#store('state', 'stateData', stateData, stepNumber, priority);
  }

  /** Stores an interaction durably. */
  storeInteraction(interactionData: MemoryData, stepNumber: number, priority = 1): Promise<boolean> {
    return this.#store('interaction', 'interactionData', interactionData, stepNumber, priority);
  }

  /** Stores an action durably. */
  storeAction(actionData: MemoryData, stepNumber: number, priority = 1): Promise<boolean> {
    return this.#store('action', 'actionData', actionData, stepNumber, priority);
  }

  /** Stores a memory of any type and returns its id. */
  async addMemory(memoryType: string, data: MemoryData, stepNumber?: number, priority = 1): Promise<string> {
    const type = checkedType(STORE, memoryType);
    if (type === undefined) throw refused(STORE, 'memoryType', 'is required', { agentId: this.agentId });
    return this.#stored(type, 'data', data, stepNumber, priority);
  }

  async #store(type: string, field: string, data: MemoryData, step: number, priority: number): Promise<boolean> {
    checkedWhole(STORE, 'stepNumber', step);
    await this.#stored(type, field, data, step, priority);
    return true;
  }

  async #stored(type: string, field: string, data: MemoryData, step: number | undefined, priority: number) {
    if (step !== undefined) checkedWhole(STORE, 'stepNumber', step);
    const weight = checkedShare(STORE, 'priority', priority);
    const memory = {
      scope: { agent: this.agentId },
      type,
      ...(step !== undefined && { step }),
      content: checkedContent(STORE, field, checkedRecord(STORE, field, data)),
      importance: weight,
      priority: weight,
    };
    const operation = `storeAgent${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;
    const context = { agentId: this.agentId, ...(step !== undefined && { stepNumber: step }), memoryType: type };
    const { id } = await failingAs(STORE, operation, context, async () => {
      const client = await this.#engine.ready(STORE, operation, context);
      return client.store(memory);
    });
    await this.#engine.stored(this.agentId);
    return id;
  }

  /** The entry with this id; `null` where the agent has none. Counts as an access, which may move the memory up. */
  retrieveStateById(memoryId: string): Promise<MemoryEntry | null> {
    return this.#retrieval.byId(memoryId);
  }

  /** The entries that happened last, latest first. */
  retrieveRecentStates(count = 10, memoryType?: string): Promise<MemoryEntry[]> {
    return this.#retrieval.recent(count, memoryType);
  }

  /**
   * The entries most like a state, best first: with `threshold` those of at least this cosine. `contextWeights`: how much
   * values of the state are emphasized, by path. The result is kept until the next write through this API, or until its
   * time is over.
   */
  retrieveSimilarStates(
    queryState: QueryState,
    k = 5,
    memoryType?: string,
    threshold: number = NO_THRESHOLD,
    contextWeights?: Readonly<Record<string, number>>,
  ): Promise<MemoryEntry[]> {
    const args = [queryState, k, memoryType, threshold, contextWeights];
    return this.#search.kept('retrieveSimilarStates', args, () =>
      this.#search.similar(queryState, k, memoryType, threshold, contextWeights),
    );
  }

  /** The entries of a range of steps, both included, lowest step first. */
  retrieveByTimeRange(startStep: number, endStep: number, memoryType?: string): Promise<MemoryEntry[]> {
    return this.#retrieval.inSteps(startStep, endStep, memoryType);
  }

  /** The entries whose contents have all of these values at their dotted paths, latest step first. */
  retrieveByAttributes(attributes: Readonly<Fields>, memoryType?: string): Promise<MemoryEntry[]> {
    return this.#retrieval.withAttributes(attributes, memoryType);
  }

  /** The entries nearest to a vector of the server's model, best first. `memoryTiers`: default all. */
  searchByEmbedding(
    queryEmbedding: Float32Array | readonly number[],
    k = 5,
    memoryTiers?: readonly MemoryTier[],
  ): Promise<MemoryEntry[]> {
    return this.#search.byVector(queryEmbedding, k, memoryTiers);
  }

  /**
   * The entries that have words of a text, or of an object, in any order, best first. The result is kept as that of
   * `retrieveSimilarStates`.
   */
  searchByContent(contentQuery: string | Readonly<Fields>, k = 5): Promise<MemoryEntry[]> {
    return this.#search.kept('searchByContent', [contentQuery, k], () => this.#search.byContent(contentQuery, k));
  }

  /** The entries like a state by vector and by equal attributes, best first. */
  hybridRetrieve(
    queryState: QueryState,
    k = 5,
    memoryType?: string,
    vectorWeight = 0.4,
    attributeWeight = 0.6,
  ): Promise<MemoryEntry[]> {
    return this.#search.hybrid(queryState, k, memoryType, vectorWeight, attributeWeight);
  }

  /**
   * The entries that a search strategy finds, best first. `strategyName`: `similarity` (default), `temporal`, `attribute`,
   * `step_based`, `sequence`, `match`, `window`, `path`, `importance`, `compound`, `combined` and the other presets of
   * `docs/recall.md`; `options` has their parameters.
   */
  search(
    query: unknown,
    strategyName?: string,
    limit = 10,
    metadataFilter?: Readonly<Fields>,
    tier?: MemoryTier,
    options: SearchOptions = {},
  ): Promise<MemoryEntry[]> {
    return this.#search.byStrategy(query, strategyName, limit, metadataFilter, tier, options);
  }

  /** The state at each of the steps; `null` where there is none. */
  getMemorySnapshots(steps: readonly number[]): Promise<Map<number, MemoryEntry | null>> {
    return this.#retrieval.snapshots(steps);
  }

  /** Changes of a value in the states, by step. `attributeName` may be a dotted path. */
  getAttributeChangeHistory(
    attributeName: string,
    startStep?: number,
    endStep?: number,
  ): Promise<AttributeChangeEntry[]> {
    return this.#retrieval.changes(attributeName, startStep, endStep);
  }

  /** Counts of memories by tier and by type, of all tiers, and the last maintenance by this API. */
  async getMemoryStatistics(): Promise<MemoryStatisticsEntry> {
    const operation = 'getMemoryStatistics';
    const totals = await failingAs(RETRIEVAL, operation, { agentId: this.agentId }, async () => {
      const client = await this.#engine.ready(RETRIEVAL, operation, { agentId: this.agentId });
      return client.namespaces.getAgentStatistics(this.agentId);
    });
    const tiers = {
      stm: { count: 0, size_bytes: 0 },
      im: { count: 0, size_bytes: 0 },
      ltm: { count: 0, size_bytes: 0 },
    };
    for (const { tier, memoryCount, contentBytes } of totals.tiers)
      tiers[TIER_NAMES[tier]] = { count: memoryCount, size_bytes: contentBytes };
    const upkeep = this.#engine.upkeep(this.agentId);
    return {
      total_memories: totals.memoryCount,
      stm_count: tiers.stm.count,
      im_count: tiers.im.count,
      ltm_count: tiers.ltm.count,
      memory_type_distribution: Object.fromEntries(totals.types.map(({ type, memoryCount }) => [type, memoryCount])),
      last_maintenance_time: upkeep.lastTime,
      insert_count_since_maintenance: upkeep.insertCount,
      timestamp: this.#engine.now(),
      tiers,
    };
  }

  /** Moves the agent's memories down that are over the limits or the times to live of their tiers. */
  async forceMemoryMaintenance(): Promise<boolean> {
    const operation = 'forceMemoryMaintenance';
    await failingAs(MAINTENANCE, operation, { agentId: this.agentId }, async () => {
      await this.#engine.ready(MAINTENANCE, operation, { agentId: this.agentId });
      await this.#engine.maintain(this.agentId);
    });
    this.#engine.maintained(this.agentId);
    return true;
  }

  /** Sets the importance of a memory, 0 to 1. False where the agent has no such memory. */
  async setImportanceScore(memoryId: string, importanceScore: number): Promise<boolean> {
    const importance = checkedShare(MAINTENANCE, 'importanceScore', importanceScore);
    const operation = 'setImportanceScore';
    const context = { agentId: this.agentId, memoryId };
    return failingAs(MAINTENANCE, operation, context, async () => {
      const client = await this.#engine.ready(MAINTENANCE, operation, context);
      const [found] = (await client.batchGet([memoryId], { view: 'metadata' })).memories;
      if (found?.scope.agent !== this.agentId) return false;
      await client.setImportance(memoryId, importance);
      this.#engine.wrote();
      return true;
    });
  }

  /** Erases the agent's memories: all, or those of tiers. */
  async clearAgentMemory(memoryTiers?: readonly MemoryTier[]): Promise<boolean> {
    const tiers = checkedTiers(MAINTENANCE, memoryTiers) ?? Object.values(TIERS);
    const operation = 'clearAgentMemory';
    await failingAs(MAINTENANCE, operation, { agentId: this.agentId }, async () => {
      const client = await this.#engine.ready(MAINTENANCE, operation, { agentId: this.agentId });
      for (const tier of tiers) await client.clearTier(tier, { scope: { agent: this.agentId } });
    });
    this.#engine.wrote();
    return true;
  }

  /** The same as `clearAgentMemory`. */
  clearMemory(memoryTiers?: readonly MemoryTier[]): Promise<boolean> {
    return this.clearAgentMemory(memoryTiers);
  }

  /** Removes every kept result in the process, also those of `cacheable` functions. */
  clearCache(): void {
    clearCaches();
  }

  /** Sets how long results are kept, in seconds. */
  setCacheTtl(ttl: number): void {
    setDefaultTtl(ttl);
  }

  /** Registers a function for an event; see `registerMemoryHook` of `AgentMemoryAPI`. */
  registerMemoryHook(eventType: string, hook: EventHook, priority?: number): void {
    this.#events.register(this.agentId, eventType, hook, priority);
  }

  /** Calls the functions of an event; see `triggerMemoryEvent` of `AgentMemoryAPI`. */
  triggerMemoryEvent(eventType: string, data?: Readonly<Fields>): Promise<boolean> {
    return this.#events.trigger(this, eventType, data);
  }
}
