import { LRUCache } from 'lru-cache';
import type { Micros } from '../../memory/memory.ts';
import type { AnswerCache, CacheLimits, CacheStatistics, KeptAnswer, Question } from './answer-cache.ts';

interface Entry<A> extends KeptAnswer<A> {
  readonly namespace: string;
}

/** Maximum namespaces whose last change is remembered; beyond it the cache is cleared. */
const NAMESPACES_MAX = 10_000;

/** In the memory of the process, least recently asked for out first. */
export class LruAnswerCache<A> implements AnswerCache<A> {
  private limits: CacheLimits;
  private entries: LRUCache<string, Entry<A>>;
  /** Revision of the last change that is known of, by namespace. */
  private readonly changedAt = new Map<string, number>();
  private readonly counts = { hit: 0, miss: 0, passedBy: 0, evicted: 0 };

  constructor(limits: CacheLimits) {
    this.limits = limits;
    this.entries = this.emptyCache();
  }

  get isOn(): boolean {
    return this.limits.entriesMax > 0;
  }

  get({ namespace, key }: Question, nowUs: Micros): A | undefined {
    const name = nameOf(namespace, key);
    const entry = this.entries.get(name);
    if (entry && this.isCurrent(entry, nowUs)) {
      this.counts.hit++;
      return entry.answer;
    }
    if (entry) this.entries.delete(name);
    this.counts.miss++;
    return undefined;
  }

  put({ namespace, key }: Question, answer: KeptAnswer<A>): void {
    if (!this.isOn || answer.bytes > this.limits.bytesMax || answer.untilUs <= answer.nowUs) return;
    this.entries.set(nameOf(namespace, key), { ...answer, namespace });
  }

  changed(namespace: string, revision: number): void {
    if (this.changedAt.size >= NAMESPACES_MAX) this.clear();
    this.changedAt.set(namespace, revision);
  }

  passedBy(): void {
    this.counts.passedBy++;
  }

  clear(namespace?: string): { count: number; bytes: number } {
    let [count, bytes] = [0, 0];
    for (const [name, entry] of this.entries.entries()) {
      if (namespace !== undefined && entry.namespace !== namespace) continue;
      count++;
      bytes += entry.bytes;
      this.entries.delete(name);
    }
    if (namespace === undefined) this.changedAt.clear();
    return { count, bytes };
  }

  configure(limits: CacheLimits): void {
    const before = this.entries;
    this.limits = limits;
    this.entries = this.emptyCache();
    if (!this.isOn) return;
    // From the least recently used on, so that the order stays.
    for (const [name, entry] of [...before.entries()].reverse()) {
      if (entry.bytes <= limits.bytesMax) this.entries.set(name, entry);
    }
  }

  statistics(): CacheStatistics {
    const { hit, miss, passedBy, evicted } = this.counts;
    return {
      ...this.limits,
      entryCount: this.entries.size,
      bytes: this.entries.calculatedSize,
      hitCount: hit,
      missCount: miss,
      passedByCount: passedBy,
      evictedCount: evicted,
    };
  }

  private isCurrent({ namespace, revision, nowUs: keptAtUs, untilUs }: Entry<A>, nowUs: Micros): boolean {
    const endUs = Math.min(untilUs, keptAtUs + this.limits.ttlMs * 1000);
    // A clock that was set back may lead to before the answer.
    return nowUs >= keptAtUs && nowUs < endUs && revision >= (this.changedAt.get(namespace) ?? 0);
  }

  private emptyCache(): LRUCache<string, Entry<A>> {
    return new LRUCache({
      max: Math.max(1, this.limits.entriesMax),
      maxSize: Math.max(1, this.limits.bytesMax),
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      dispose: (_entry, _name, reason) => {
        if (reason === 'evict') this.counts.evicted++;
      },
    });
  }
}

/** Names of namespaces have no line breaks. */
function nameOf(namespace: string, key: string): string {
  return `${namespace}\n${key}`;
}
