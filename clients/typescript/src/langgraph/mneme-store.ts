import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from '@langchain/langgraph-checkpoint';
import { badInput } from '../bad-input.ts';
import { guardedClient } from '../breaker.ts';
import { checkOptions } from '../check-options.ts';
import { cut } from '../cut.ts';
import { NotFoundError } from '../errors.ts';
import { allOf, type Filter, negate, where } from '../filter.ts';
import { connect, type Mneme } from '../index.ts';
import type { Memory, NewMemory } from '../memory.ts';
import type { ConnectOptions } from '../options.ts';
import type { RecallHit } from '../recall-types.ts';
import { commonPrefix, selectNamespaces } from './namespaces.ts';
import { itemId, itemOfMemory, itemsWithin, memoryOfItem, placeOf, UNINDEXED } from './store-items.ts';
import { checkFilter, matchesFilter, narrowingFilters } from './value-filter.ts';
import { groupsOf, isMissingNamespace, storeAll, withoutMissingNamespace } from './writes.ts';

const RECALL_LIMIT = 1000;
const PAGE_SIZE = 1000;
/** Bytes of a query that the server searches. */
const QUERY_BYTES = 8192;
const DELETE_COUNT = 1000;

/** Where the items of a store are, and which of their fields are searched. */
export interface MnemeStoreConfig {
  /** Address of the server. Default `127.0.0.1:50051`. */
  readonly address?: string;
  /** Options of the client, such as `namespace` and `token`. */
  readonly connect?: ConnectOptions;
  /** A client to use in place of `address` and `connect`. */
  readonly client?: Mneme;
  /** Paths of the fields that are searched, unless the put has paths. Default: all. */
  readonly fields?: readonly string[];
  /**
   * Lowest relevance of an item that a search with a query finds, 0 to 1. Default 0: the search returns up to `limit`
   * items, whether they answer or not.
   */
  readonly minRelevance?: number;
  /** Clock of `updatedAt`. Default: that of the process. */
  readonly now?: () => Date;
}

/** An item that a search found. */
export interface FoundItem extends SearchItem {
  /** Probability that it answers the query, 0 to 1. Absent: it was not found by the query. */
  relevance?: number;
}

/**
 * A store of LangGraph in a namespace of Mneme. Each item is one memory, which other agents recall too. `search` with a
 * query recalls by keywords and meaning on the server; it needs no embeddings in this process. A put has resolved when
 * the item is on disk.
 */
export class MnemeStore extends BaseStore {
  readonly #client: Mneme;
  readonly #ownsClient: boolean;
  readonly #fields: readonly string[] | undefined;
  readonly #minRelevance: number;
  readonly #now: () => Date;

  constructor(config: MnemeStoreConfig = {}) {
    super();
    checkOptions('langgraph.MnemeStoreConfig', config, 'MnemeStore');
    this.#client = guardedClient(config.client ?? connect(config.address, config.connect));
    this.#ownsClient = config.client === undefined;
    this.#fields = config.fields;
    this.#minRelevance = config.minRelevance ?? 0;
    this.#now = config.now ?? (() => new Date());
  }

  /** Reads see the state before the batch; of several puts of one item the last one takes effect. */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const now = this.#now();
    const changes = new Map<string, NewMemory | null>();
    for (const each of operations) {
      if (!isPut(each)) continue;
      const memory = each.value === null ? null : memoryOfItem(each, this.#fields, now);
      changes.set(itemId(each.namespace, each.key), memory);
    }
    const results = await Promise.all(operations.map((each) => this.#read(each)));
    const deleted = [...changes].flatMap(([id, memory]) => (memory === null ? [id] : []));
    for (const ids of groupsOf(deleted, DELETE_COUNT)) await this.#forget(where.id.isIn(ids));
    const memories = [...changes.values()].filter((memory) => memory !== null);
    await storeAll(this.#client, memories, new Set(memories));
    return results as OperationResults<Op>;
  }

  /** Ends the connection, unless it is that of a client of the config. */
  override async stop(): Promise<void> {
    if (this.#ownsClient) await this.#client.close();
  }

  /** Prevents that a config with this store in it is written out with its connection. */
  toJSON(): string {
    return '[MnemeStore]';
  }

  async #forget(filter: Filter): Promise<void> {
    try {
      await this.#client.forget({ filter });
    } catch (error) {
      if (!isMissingNamespace(error)) throw error;
    }
  }

  #read(operation: Operation): Promise<Item | FoundItem[] | string[][] | null | undefined> {
    if (isPut(operation)) return Promise.resolve(undefined);
    if ('namespacePrefix' in operation) return this.#search(operation);
    return 'key' in operation ? this.#get(operation) : this.#listNamespaces(operation);
  }

  async #get({ namespace, key }: GetOperation): Promise<Item | null> {
    try {
      return itemOfMemory(await this.#client.get(itemId(namespace, key))) ?? null;
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }

  async #search({ namespacePrefix, filter = {}, limit = 10, offset = 0, query }: SearchOperation) {
    checkCount('limit', limit);
    checkCount('offset', offset);
    checkFilter(filter);
    const end = offset + limit;
    const found = new Map<string, FoundItem>();
    const add = (memory: Memory, scores: Partial<RecallHit> = {}) => {
      const { score, relevance } = scores;
      if (found.has(memory.id)) return;
      const item = itemOfMemory(memory);
      if (item && matchesFilter(item.value, filter)) {
        found.set(memory.id, { ...item, score, ...(relevance !== undefined && { relevance }) });
      }
    };
    if (limit === 0) return [];
    const admitted = allOf(itemsWithin(namespacePrefix), ...narrowingFilters(filter));
    // All pages of a search are of one ranking.
    const most = offset > 0 || Object.keys(filter).length > 0 ? RECALL_LIMIT : Math.min(end, RECALL_LIMIT);
    const isAsked = query !== undefined && query.trim() !== '';
    if (isAsked) for (const hit of await this.#recall(query, admitted, most)) add(hit.memory, hit);
    if (found.size < end && !(isAsked && this.#minRelevance > 0)) {
      const pages = this.#client.list({
        filter: admitted,
        order: 'event_time_desc',
        pageSize: Math.min(end, PAGE_SIZE),
      });
      for await (const memory of withoutMissingNamespace(pages)) {
        add(memory);
        if (found.size >= end) break;
      }
    }
    return [...found.values()].slice(offset, end);
  }

  async #recall(query: string, admitted: Filter, limit: number): Promise<readonly RecallHit[]> {
    const filter = allOf(admitted, negate(where.tag.equals(UNINDEXED)));
    const text = cut(query.toWellFormed(), QUERY_BYTES);
    try {
      // Each item is an answer of its own, also one of equal text.
      const asked = { text, filter, limit, includeInvalid: true, minRelevance: this.#minRelevance };
      return (await this.#client.recall(asked)).hits;
    } catch (error) {
      if (isMissingNamespace(error)) return [];
      throw error;
    }
  }

  async #listNamespaces(operation: ListNamespacesOperation): Promise<string[][]> {
    const { matchConditions, maxDepth, limit, offset } = operation;
    for (const [field, count] of Object.entries({ maxDepth, limit, offset })) checkCount(field, count ?? 0);
    const filter = itemsWithin(commonPrefix(matchConditions));
    const namespaces: string[][] = [];
    const pages = this.#client.list({ filter, view: 'metadata', pageSize: PAGE_SIZE });
    for await (const memory of withoutMissingNamespace(pages)) {
      const place = placeOf(memory);
      if (place !== undefined) namespaces.push(place.namespace);
    }
    return selectNamespaces(namespaces, operation);
  }
}

function isPut(operation: Operation): operation is PutOperation {
  return 'value' in operation;
}

function checkCount(field: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw badInput(field, `${count} must be a whole number from 0`);
}
