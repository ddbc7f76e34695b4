import type { JSONValue, MemoryEntry, MemoryStore, SearchOptions } from '@strands-agents/sdk';
import { MnemeError } from '../errors.ts';

/** Calls of the stores of a manager: bounded, and with the failure of each store. */
export class StoreCalls {
  readonly failures = new Map<string, string>();
  readonly #searchTimeoutMs: number;
  readonly #writes = new Set<Promise<unknown>>();

  constructor(searchTimeoutMs: number) {
    this.#searchTimeoutMs = searchTimeoutMs;
  }

  /** The store for Strands' manager: it has the methods that the store has. */
  bounded(store: MemoryStore): MemoryStore {
    const { name, writable, description, maxSearchResults, extraction } = store;
    return {
      name,
      writable,
      ...(description !== undefined && { description }),
      ...(maxSearchResults !== undefined && { maxSearchResults }),
      ...(extraction !== undefined && { extraction }),
      search: (query, options) => this.#search(store, query, options),
      ...(store.add && {
        add: (content: string, metadata?: Record<string, JSONValue>) => this.#noted(store.add?.(content, metadata)),
      }),
      ...(store.addMessages && { addMessages: store.addMessages.bind(store) }),
      ...(store.initialize && { initialize: store.initialize.bind(store) }),
      ...(store.getTools && { getTools: store.getTools.bind(store) }),
    };
  }

  /** Waits for all writes that have begun, and for those that begin meanwhile. */
  async written(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled([...this.#writes]);
  }

  /** The result, or `undefined` when the call fails: the failure is noted under the name of the store. */
  async attempt<T>(name: string, what: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await call();
      this.failures.delete(name);
      return result;
    } catch (error) {
      // Nothing was stored yet.
      if (error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND') return undefined;
      this.failures.set(name, `${what}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #search(store: MemoryStore, query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    const found = await this.attempt(store.name, 'search', () =>
      withinMs(this.#searchTimeoutMs, async () => store.search(query, options)),
    );
    return found ?? [];
  }

  #noted<T>(write: Promise<T> | undefined): Promise<T | undefined> {
    const noted = Promise.resolve(write);
    this.#writes.add(noted);
    const forget = () => this.#writes.delete(noted);
    noted.then(forget, forget);
    return noted;
  }
}

async function withinMs<T>(ms: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([call(), late]);
  } finally {
    clearTimeout(timer);
  }
}
