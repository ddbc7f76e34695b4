import type { Micros } from '../../memory/memory.ts';

/** Recall answers that were returned before, cached for as long as they stay correct. */
export interface AnswerCache<A> {
  /** False while the cache is disabled. */
  readonly isOn: boolean;
  /** The answer to a question, unless its namespace has changed since or its time is over. */
  get(question: Question, nowUs: Micros): A | undefined;
  /** Caches an answer; the least recently used are evicted for it. */
  put(question: Question, answer: KeptAnswer<A>): void;
  /** Answers of a namespace from before a revision are over. */
  changed(namespace: string, revision: number): void;
  /** Notes a question that is never kept. */
  passedBy(): void;
  /** Evicts the answers of a namespace, or all of them; returns how many and their bytes. */
  clear(namespace?: string): { readonly count: number; readonly bytes: number };
  configure(limits: CacheLimits): void;
  statistics(): CacheStatistics;
}

export interface Question {
  readonly namespace: string;
  /** Names the question within its namespace. */
  readonly key: string;
}

export interface KeptAnswer<A> {
  readonly answer: A;
  readonly bytes: number;
  /** Revision at which the answer was computed. */
  readonly revision: number;
  readonly nowUs: Micros;
  /** From this instant on time alone may change it. */
  readonly untilUs: Micros;
}

export interface CacheLimits {
  /** 0 switches the cache off. */
  readonly entriesMax: number;
  readonly bytesMax: number;
  readonly ttlMs: number;
}

export interface CacheStatistics extends CacheLimits {
  readonly entryCount: number;
  readonly bytes: number;
  readonly hitCount: number;
  readonly missCount: number;
  /** Number of questions that are never cached, such as those of a window that ends now. */
  readonly passedByCount: number;
  /** Number of answers that were evicted. */
  readonly evictedCount: number;
}
