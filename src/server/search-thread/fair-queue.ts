/** For whom a request is served: its caller, and the namespace that it reads. */
export interface Share {
  /** Empty for work of the server itself. */
  readonly caller: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
}

/** Time after which work counts half. */
const HALF_LIFE_MS = 10_000;
/** Shares whose work is remembered; the one that was served longest ago is forgotten. */
const REMEMBERED_MAX = 10_000;

/**
 * Requests that wait for a thread. Next comes a request of the caller for whom the thread has worked least of late, and
 * among its namespaces that with the least work; those with equal work, and requests of one namespace, in the order of
 * their arrival. A caller that asks for little does not wait behind callers that ask for much.
 */
export class FairQueue<T> {
  private readonly waiting = new Map<string, Map<string, T[]>>();
  private readonly callers: RecentWork;
  private readonly namespaces: RecentWork;
  private count = 0;

  constructor(nowMs: () => number = () => performance.now()) {
    this.callers = new RecentWork(nowMs);
    this.namespaces = new RecentWork(nowMs);
  }

  get size(): number {
    return this.count;
  }

  /** `isFirst`: before the other requests of the caller in the namespace. */
  add({ caller, namespace }: Share, item: T, isFirst = false): void {
    const byNamespace = this.waiting.get(caller) ?? new Map<string, T[]>();
    this.waiting.set(caller, byNamespace);
    const items = byNamespace.get(namespace);
    if (items && isFirst) items.unshift(item);
    else if (items) items.push(item);
    else byNamespace.set(namespace, [item]);
    this.count++;
  }

  /** Removes the next request. */
  next(): T | undefined {
    const caller = this.callers.leastOf(this.waiting.keys());
    const byNamespace = caller === undefined ? undefined : this.waiting.get(caller);
    if (caller === undefined || !byNamespace) return undefined;
    const namespace = this.namespaces.leastOf(byNamespace.keys(), (name) => keyOf({ caller, namespace: name })) ?? '';
    const items = byNamespace.get(namespace) ?? [];
    const item = items.shift();
    if (items.length === 0) byNamespace.delete(namespace);
    if (byNamespace.size === 0) this.waiting.delete(caller);
    this.count--;
    return item;
  }

  /** Removes all requests, in any order. */
  takeAll(): T[] {
    const items = [...this.waiting.values()].flatMap((byNamespace) => [...byNamespace.values()].flat());
    this.waiting.clear();
    this.count = 0;
    return items;
  }

  /** Counts work that was done for a share. */
  worked(share: Share, ms: number): void {
    this.callers.add(share.caller, ms);
    this.namespaces.add(keyOf(share), ms);
  }
}

function keyOf({ caller, namespace }: Share): string {
  return `${caller}\n${namespace}`;
}

/** Work of late by key, in milliseconds. */
class RecentWork {
  private readonly work = new Map<string, { ms: number; atMs: number }>();
  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  add(key: string, ms: number): void {
    const total = this.of(key) + ms;
    // Behind the others: the first key of the map is the one to forget.
    this.work.delete(key);
    this.work.set(key, { ms: total, atMs: this.nowMs() });
    if (this.work.size <= REMEMBERED_MAX) return;
    const [oldest] = this.work.keys();
    if (oldest !== undefined) this.work.delete(oldest);
  }

  /** The name with the least work; the first of several. */
  leastOf(names: Iterable<string>, keyOfName = (name: string) => name): string | undefined {
    let least: string | undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const name of names) {
      const ms = this.of(keyOfName(name));
      if (ms >= leastMs) continue;
      least = name;
      leastMs = ms;
    }
    return least;
  }

  private of(key: string): number {
    const known = this.work.get(key);
    return known ? known.ms * 0.5 ** ((this.nowMs() - known.atMs) / HALF_LIFE_MS) : 0;
  }
}
