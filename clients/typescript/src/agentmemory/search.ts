import type { Tier } from '../memory.ts';
import { checkedContent, checkedRecord, checkedTiers, checkedType, checkedVector, checkedWhole } from './checks.ts';
import type { MemoryEntry } from './entries.ts';
import { failingAs, MemoryRetrievalException } from './errors.ts';
import { callKey } from './keys.ts';
import { type Fields, isRecord, type Model } from './models.ts';
import type { Retrieval } from './retrieval.ts';
import { shown } from './shown.ts';

const KIND = MemoryRetrievalException;
/** No cosine is below it. */
export const NO_THRESHOLD = -1;

/** The parameter of a preset that a bare query stands for; of the others an object is all parameters. */
const BARE: Readonly<Record<string, string>> = {
  attribute: 'query',
  similarity: 'query',
  content: 'query',
  hybrid: 'query_state',
  importance: 'min_importance',
  step_based: 'reference_step',
  sequence: 'reference_id',
  temporal: 'timestamp',
};
const TAKES_OBJECTS = new Set(['attribute', 'similarity', 'content', 'hybrid']);

/** A state to look for: an object, or a model. */
export type QueryState = Readonly<Fields> | Model;

/** Parameters of a search strategy, by the names of `docs/recall.md`. */
export interface SearchOptions {
  /** Instant that relative windows are counted back from. Default: the server's clock. */
  readonly now?: Date;
  readonly [parameter: string]: unknown;
}

interface PresetCall {
  readonly operation: string;
  readonly name: string;
  readonly parameters: Readonly<Fields>;
  readonly limit: number;
  readonly memoryType?: string | undefined;
  readonly tiers?: readonly Tier[] | undefined;
  readonly now?: Date | undefined;
}

/** Searches memories of one agent by presets of recall. Arguments are checked before anything is sent. */
export class Search {
  readonly #retrieval: Retrieval;

  constructor(retrieval: Retrieval) {
    this.#retrieval = retrieval;
  }

  /** The memories most like a state, best first, over all tiers. */
  async similar(
    queryState: QueryState,
    k: number,
    memoryType: string | undefined,
    threshold: number,
    contextWeights: Readonly<Record<string, number>> | undefined,
  ): Promise<MemoryEntry[]> {
    const state = checkedRecord(KIND, 'queryState', queryState);
    checkedContent(KIND, 'queryState', state);
    if (!this.#retrieval.engine.config.useEmbeddingEngine)
      throw this.#retrieval.refused('useEmbeddingEngine', 'is false: similarity needs it');
    const weights = contextWeights === undefined ? {} : { context_weights: { ...contextWeights } };
    const parameters = { query: state, min_score: threshold, ...weights };
    return this.#preset({
      operation: 'retrieveSimilarStates',
      name: 'similarity',
      parameters,
      limit: k,
      memoryType,
    });
  }

  /** The memories nearest to a vector of the server's model, best first. */
  async byVector(queryEmbedding: unknown, k: number, memoryTiers: unknown): Promise<MemoryEntry[]> {
    const query = checkedVector(KIND, queryEmbedding);
    const tiers = checkedTiers(KIND, memoryTiers);
    const parameters = { query, min_score: NO_THRESHOLD };
    return this.#preset({ operation: 'searchByEmbedding', name: 'similarity', parameters, limit: k, tiers });
  }

  /** Memories that have words of a text, best first. */
  async byContent(contentQuery: string | Readonly<Fields>, k: number): Promise<MemoryEntry[]> {
    const isText = typeof contentQuery === 'string' && contentQuery.trim() !== '';
    if (!isText && !(isRecord(contentQuery) && Object.keys(contentQuery).length > 0)) {
      const problem = `must be a text or an object that is not empty, got ${shown(contentQuery)}`;
      throw this.#retrieval.refused('contentQuery', problem);
    }
    let query: unknown = contentQuery;
    if (isRecord(contentQuery)) {
      checkedContent(KIND, 'contentQuery', contentQuery);
      const { text, ...rest } = contentQuery;
      if (typeof text === 'string' && Object.keys(rest).length === 0) query = text;
    }
    return this.#preset({ operation: 'searchByContent', name: 'content', parameters: { query }, limit: k });
  }

  /** Memories like a state by vector and by equal attributes. */
  async hybrid(
    queryState: QueryState,
    k: number,
    memoryType: string | undefined,
    vectorWeight: number,
    attributeWeight: number,
  ): Promise<MemoryEntry[]> {
    const state = checkedRecord(KIND, 'queryState', queryState);
    checkedContent(KIND, 'queryState', state);
    const parameters = { query_state: state, vector_weight: vectorWeight, attribute_weight: attributeWeight };
    return this.#preset({ operation: 'hybridRetrieve', name: 'hybrid', parameters, limit: k, memoryType });
  }

  /** Searches by a strategy. */
  async byStrategy(
    query: unknown,
    strategyName: string | undefined,
    limit: number,
    metadataFilter: Readonly<Fields> | undefined,
    tier: string | undefined,
    { now, ...more }: SearchOptions,
  ): Promise<MemoryEntry[]> {
    const name = strategyName || 'similarity';
    const parameters: Fields = {};
    if (isRecord(query) && !TAKES_OBJECTS.has(name)) Object.assign(parameters, query);
    else if (query !== undefined && query !== null) parameters[BARE[name] ?? 'query'] = query;
    // Checksums are always verified.
    const { skip_validation: _, ...given } = more;
    const rest = { metadata_filter: metadataFilter, tier, ...given };
    for (const [key, value] of Object.entries(rest)) if (value !== undefined && value !== null) parameters[key] = value;
    checkedContent(KIND, 'query', parameters);
    if (checkedWhole(KIND, 'limit', limit) === 0) return [];
    return this.#preset({ operation: 'search', name, parameters, limit, now });
  }

  /** Hits of a preset with their scores, best first. */
  async #preset({ operation, name, parameters, limit, memoryType, tiers, now }: PresetCall): Promise<MemoryEntry[]> {
    const { agent, engine, view } = this.#retrieval;
    checkedWhole(KIND, operation === 'search' ? 'limit' : 'k', limit, 1);
    const type = checkedType(KIND, memoryType);
    const query = {
      preset: {
        name,
        parameters: type === undefined ? parameters : { ...parameters, memory_type: type },
        ...(now && { now }),
      },
      scope: { agent },
      scopeView: 'own',
      ...(tiers && { tiers }),
      limit,
      view,
    } as const;
    return failingAs(KIND, operation, { agentId: agent }, async () => {
      const client = await this.#retrieval.ready(operation);
      const { hits, degraded } = await client.recall(query);
      if (degraded.length > 0) {
        const parts = degraded.map(({ part, reason }) => `${part}: ${reason}`).join(', ');
        engine.log.write('WARNING', `${operation} of ${agent} is incomplete: ${parts}`);
      }
      return this.#retrieval.entries(hits);
    });
  }

  /** The result of an earlier call with equal arguments, if it is kept, or the computed one. */
  kept(operation: string, args: readonly unknown[], compute: () => Promise<MemoryEntry[]>): Promise<MemoryEntry[]> {
    const { agent, engine } = this.#retrieval;
    return engine.cache.through(callKey([operation, agent, ...args]), compute) as Promise<MemoryEntry[]>;
  }
}
