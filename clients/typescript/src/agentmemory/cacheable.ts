import { Cache, type Clock, checkedTtl, DEFAULT_ENTRIES } from './cache.ts';
import { callKey } from './keys.ts';
import { shown } from './shown.ts';

export interface CacheableOptions {
  /** Most results that are kept; the least recently used beyond them are removed. Default 1,024. */
  readonly maxEntries?: number;
  /** Default: that of the process. */
  readonly clock?: Clock;
}

/** A function with kept results. */
export type Cached<Function> = Function & {
  /** Removes the results. */
  clearCache(): void;
};

/**
 * Keeps results of a function or a method by its arguments, for `ttl` seconds (default: that of `setCacheTtl`, or 60).
 *
 * ```ts
 * const expensive = cacheable(60)(async (agentId: string, query: string) => search(agentId, query));
 * class Agent {
 *   @cacheable(60)
 *   find(query: string) { ... }
 * }
 * ```
 *
 * A promise is kept when it is fulfilled; an exception, a rejection or an iterator is not kept. Lists, plain objects, maps
 * and sets are keyed by their values, and results are copied. A method's results are kept for each object. A call with an
 * argument that contains itself is computed every time. `clearCache()` of the function, or `clearCache` of an
 * `AgentMemoryAPI`, removes the results.
 */
export function cacheable(ttl?: number, { maxEntries = DEFAULT_ENTRIES, clock }: CacheableOptions = {}) {
  const ttlS = ttl === undefined ? undefined : checkedTtl(ttl);
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
    throw new TypeError(`maxEntries: must be a whole number of at least 1, got ${shown(maxEntries)}`);
  return <This, Args extends unknown[], Result>(
    wrapped: (this: This, ...args: Args) => Result,
    _context?: ClassMethodDecoratorContext,
  ): Cached<(this: This, ...args: Args) => Result> => {
    if (/Generator/.test(Object.prototype.toString.call(wrapped)))
      throw new TypeError(`${wrapped.name} is a generator: its values can be read once, so they cannot be cached`);
    const cache = new Cache(ttlS, maxEntries, clock);
    function cached(this: This, ...args: Args): Result {
      return cache.through(callKey([this, ...args]), () => wrapped.apply(this, args)) as Result;
    }
    Object.defineProperty(cached, 'name', { value: wrapped.name, configurable: true });
    return Object.assign(cached, { clearCache: () => cache.clear() });
  };
}
