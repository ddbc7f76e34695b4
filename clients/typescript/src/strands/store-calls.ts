import type {
  AddMessagesContext,
  JSONValue,
  MemoryEntry,
  MemoryStore,
  MessageData,
  SearchOptions,
} from '@strands-agents/sdk';
import { MnemeError } from '../errors.ts';

/** Calls of the stores of a manager: bounded, and with the failure of each store. */
export class StoreCalls {
  /** By the name of the store, then by the call. */
  readonly #failures = new Map<string, Map<string, string>>();
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
        add: (content: string, metadata?: Record<string, JSONValue>) =>
          this.#write(store.name, 'add: a memory is not saved', this.#noted(store.add?.(content, metadata))) ??
          Promise.resolve(),
      }),
      ...(store.addMessages && {
        addMessages: (messages: MessageData[], context?: AddMessagesContext) =>
          this.#write(
            store.name,
            `addMessages: ${messages.length} messages are not saved`,
            store.addMessages?.(messages, context),
          ) ?? Promise.resolve(),
      }),
      ...(store.initialize && { initialize: store.initialize.bind(store) }),
      ...(store.getTools && { getTools: store.getTools.bind(store) }),
    };
  }

  /** Why the last calls of each store failed, by its name. */
  get failures(): ReadonlyMap<string, string> {
    const failed = [...this.#failures].filter(([, calls]) => calls.size > 0);
    return new Map(failed.map(([name, calls]) => [name, [...calls.values()].join('; ')]));
  }

  /** Waits for all writes that have begun, and for those that begin meanwhile. */
  async written(): Promise<void> {
    while (this.#writes.size > 0) await Promise.allSettled([...this.#writes]);
  }

  /** The result, or `undefined` when the call fails: the failure is noted under the name of the store. */
  async attempt<T>(name: string, what: string, call: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await call();
      this.#note(name, what, undefined);
      return result;
    } catch (error) {
      // Nothing was stored yet.
      if (error instanceof MnemeError && error.reason === 'NAMESPACE_NOT_FOUND') return undefined;
      this.#note(name, what, error);
      return undefined;
    }
  }

  async #search(store: MemoryStore, query: string, options?: SearchOptions): Promise<MemoryEntry[]> {
    const found = await this.attempt(store.name, 'search', () =>
      withinMs(this.#searchTimeoutMs, async () => store.search(query, options)),
    );
    return found ?? [];
  }

  /** Keeps a failure until the same call of the store succeeds. */
  #note(name: string, what: string, error: unknown): void {
    const [call = what] = what.split(':');
    const calls = this.#failures.get(name) ?? new Map<string, string>();
    this.#failures.set(name, calls);
    calls.delete(call);
    const cause = error instanceof Error ? error.message : String(error);
    if (error !== undefined) calls.set(call, `${what}: ${cause}`);
  }

  /** The write itself, whose failure is noted. */
  #write<T>(name: string, what: string, write: Promise<T> | undefined): Promise<T> | undefined {
    write?.then(
      () => this.#note(name, what, undefined),
      (error: unknown) => this.#note(name, what, error),
    );
    return write;
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
