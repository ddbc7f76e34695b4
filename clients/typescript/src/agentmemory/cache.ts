import { MemoryConfigException } from './errors.ts';
import { shown } from './shown.ts';

const DEFAULT_TTL_S = 60;
/** Most results of one function, or of one API. */
export const DEFAULT_ENTRIES = 1_024;

/** Milliseconds since some instant. */
export type Clock = () => number;

/** The time to live in seconds; `MemoryConfigException` unless it is above 0. */
export function checkedTtl(ttl: unknown): number {
  if (typeof ttl === 'number' && ttl > 0) return ttl;
  throw new MemoryConfigException(`ttl: must be a number of seconds above 0, got ${shown(ttl)}`, {
    reason: 'FIELD_INVALID',
    context: { field: 'ttl' },
    recoverability: 'recoverable',
  });
}

let defaultTtlS = DEFAULT_TTL_S;
const caches = new Set<WeakRef<Cache>>();

/** Values by key, least recently used first out. */
export class Cache {
  readonly #ttlS: number | undefined;
  readonly #entriesMax: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly madeMs: number; readonly value: unknown }>();
  /** Changes when entries are removed: a value computed before is not kept after. */
  #generation = 0;

  /** `ttlS`: seconds that a value is kept; default that of `setDefaultTtl`. */
  constructor(ttlS?: number, entriesMax = DEFAULT_ENTRIES, clock: Clock = () => performance.now()) {
    this.#ttlS = ttlS;
    this.#entriesMax = entriesMax;
    this.#clock = clock;
    caches.add(new WeakRef(this));
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
    this.#generation += 1;
  }

  /**
   * The kept value, or the computed one: a promise is kept when it is fulfilled. Without a key it is computed every time.
   */
  through(key: string | undefined, compute: () => unknown): unknown {
    if (key === undefined) return compute();
    const found = this.#entries.get(key);
    if (found !== undefined && this.#clock() - found.madeMs < (this.#ttlS ?? defaultTtlS) * 1000) {
      this.#entries.delete(key);
      this.#entries.set(key, found);
      const { value } = found;
      return value instanceof Kept ? Promise.resolve(unshared(value.result)) : unshared(value);
    }
    this.#entries.delete(key);
    const generation = this.#generation;
    const value = compute();
    if (value instanceof Promise) {
      return value.then((result: unknown) => {
        this.#put(key, new Kept(unshared(result)), generation);
        return result;
      });
    }
    // An iterator can be read once, so it is no result.
    if (!isOnce(value)) this.#put(key, unshared(value), generation);
    return value;
  }

  #put(key: string, value: unknown, generation: number): void {
    if (generation !== this.#generation) return;
    this.#entries.delete(key);
    this.#entries.set(key, { madeMs: this.#clock(), value });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#entriesMax) break;
      this.#entries.delete(oldest);
    }
  }
}

/** The result of a promise. */
class Kept {
  readonly result: unknown;

  constructor(result: unknown) {
    this.result = result;
  }
}

function isOnce(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return ('next' in value && typeof value.next === 'function') || ('then' in value && typeof value.then === 'function');
}

/** The value with new lists, plain objects, maps and sets, so that a change of a result does not reach the cache. */
function unshared(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unshared);
  if (value instanceof Map) return new Map([...value].map(([name, each]) => [name, unshared(each)]));
  if (value instanceof Set) return new Set(value);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unshared(each)]));
}

/** Removes every kept result in the process. */
export function clearCaches(): void {
  for (const reference of caches) {
    const cache = reference.deref();
    if (cache) cache.clear();
    else caches.delete(reference);
  }
}

/** Sets the time to live of results without one of their own, also of those that are kept already. Default 60. */
export function setDefaultTtl(ttl: number): void {
  defaultTtlS = checkedTtl(ttl);
}
