import { availableParallelism } from 'node:os';
import { STATIC_MODEL } from '../../search/embedding/static/token-table.ts';
import { ownerOf } from '../../search/recall/namespace-owner.ts';
import type { RecallEngine, RecallQuery } from '../../search/recall/recall-engine.ts';
import { isFastRecall, RemoteEngine } from '../../search/recall/remote-engine.ts';
import { SplitStandingIndex } from '../../search/standing/split-standing-index.ts';
import {
  type AffectedQueries,
  fromSent,
  type SentEvaluated,
  type StandingQueryIndex,
} from '../../search/standing/standing-query.ts';
import { ThreadCalls, type ThreadMeter } from '../../search/threads/thread-calls.ts';
import type { ThreadSource } from '../../search/threads/thread-source.ts';
import type { DamageKind } from '../../storage/sqlite/damage/found-damage.ts';
import type { Scan, ScanResult } from '../../storage/sqlite/scan.ts';
import type { Config } from '../config/config.ts';
import type { SearchFault, SearchNotice, SearchRequest, SearchThreadOptions } from '../search-thread/search-thread.ts';
import { SearchCalls } from './search-calls.ts';

/** Threads by default: half of the cores, as the main thread, the writer and the pool of Node need some. */
const CORES_PER_THREAD = 2;
const DEFAULT_THREADS_MAX = 4;

/** Recalls, scans and standing queries, in one thread or several. */
export interface Search {
  readonly engine: RecallEngine;
  readonly scan: Scan;
  readonly standing: StandingQueryIndex;
  /**
   * Does what the first recalls would wait for: reads the sentence encoder and opens the namespaces that changed last.
   * Resolves to their names.
   */
  readonly prepare: () => Promise<readonly string[]>;
  /** Requests without an answer. */
  readonly pendingCount: () => number;
  /** Measures requests from now on. */
  readonly measure: (meter: ThreadMeter) => void;
}

export interface SearchEvents {
  /** `damage`: what is damaged in the data folder, where that is the cause. */
  readonly onFault: (part: string, error: unknown, damage?: DamageKind) => void;
  readonly onNotice: (notice: SearchNotice['notice']) => void;
  /** Called before each answer is returned, as it may be of a newer state than this thread has read. */
  readonly onAnswer: () => void;
  /** Runs a read of the store's indexes. */
  readonly withUpkeep: <A>(read: () => Promise<A>) => Promise<A>;
}

/**
 * Starts the threads of recalls and scans; a store must have opened the folder. `engine.close` ends them. Each namespace
 * has one thread, which has its indexes: so no index is made or kept twice.
 */
export function openSearch(config: Config, threads: ThreadSource, events: SearchEvents): Search {
  const count = searchThreadCount(config);
  const search = Array.from({ length: count }, (_, index) => {
    return startSearchThread(searchOptionsOf(config, { index, count }), threads, events);
  });
  const [only] = search;
  return only && search.length === 1 ? only : splitSearch(search);
}

function searchThreadCount({ searchThreads }: Pick<Config, 'searchThreads'>): number {
  if (searchThreads > 0) return searchThreads;
  return Math.max(1, Math.min(Math.floor(availableParallelism() / CORES_PER_THREAD), DEFAULT_THREADS_MAX));
}

function searchOptionsOf(config: Config, share: SearchThreadOptions['share']): SearchThreadOptions {
  return {
    folder: config.data,
    share,
    exactVectorsMax: config.maxExactVectors,
    memoryBytesMax: Math.ceil(config.maxVectorMemoryBytes / share.count),
    saveIntervalMs: config.vectorSnapshotIntervalMs,
    embedTexts: config.embedder === 'static',
    isLearned: config.ranker === 'learned',
  };
}

/** Sends each request to the thread of its namespace. */
function splitSearch(threads: readonly Search[]): Search {
  const at = (namespace: string): Search => threads[ownerOf(namespace, threads.length)] as Search;
  const engines = threads.map(({ engine }) => engine);
  return {
    engine: {
      textModel: engines[0]?.textModel ?? '',
      search: (query, signal) => at(query.namespace).engine.search(query, signal),
      statistics: async () => (await Promise.all(engines.map((engine) => engine.statistics()))).flat(),
      close: async () => void (await Promise.all(engines.map((engine) => engine.close()))),
    },
    standing: new SplitStandingIndex(threads.map(({ standing }) => standing)),
    prepare: async () => (await Promise.all(threads.map(({ prepare }) => prepare()))).flat(),
    scan: (scan) => at('namespace' in scan.read ? (scan.read.namespace ?? '') : '').scan(scan),
    pendingCount: () => threads.reduce((sum, { pendingCount }) => sum + pendingCount(), 0),
    measure: (meter) => {
      for (const thread of threads) thread.measure(meter);
    },
  };
}

function startSearchThread(
  options: SearchThreadOptions,
  threads: ThreadSource,
  { onFault, onNotice, onAnswer, withUpkeep }: SearchEvents,
): Search {
  const thread = new ThreadCalls<SearchRequest>({
    name: 'search',
    start: () => {
      const worker = threads.take();
      worker.postMessage(options);
      return worker;
    },
    isFast: isFastRecall,
    kindOf: (request) => (request.kind === 'scan' ? `scan_${request.scan.kind}` : request.kind),
    onClosed: (worker) => threads.giveBack(worker),
    onAnswer,
    onNotice: (sent) => {
      const report = sent as SearchFault | SearchNotice;
      if ('notice' in report) return onNotice(report.notice);
      const { part, message, stack, damage } = report.fault;
      onFault(part, Object.assign(new Error(message), { stack }), damage);
    },
    onDeath: (cause) => onFault('search thread', cause),
  });
  const search = new SearchCalls(thread);
  const calls = {
    recall: (query: RecallQuery, signal?: AbortSignal) => withUpkeep(() => search.recall(query, signal)),
    ask: (request: SearchRequest) =>
      readsIndexes(request) ? withUpkeep(() => search.ask(request)) : search.ask(request),
    close: (last: SearchRequest) => search.close(last),
  };
  return {
    engine: new RemoteEngine(calls, options.embedTexts ? STATIC_MODEL : ''),
    standing: {
      put: async (id, query, afterRevision) => void (await calls.ask({ kind: 'put_query', id, query, afterRevision })),
      remove: async (id) => void (await calls.ask({ kind: 'remove_query', id })),
      affected: async (read) => (await calls.ask({ kind: 'affected', read })) as AffectedQueries,
      evaluate: async (evaluations) => {
        const sent = (await calls.ask({ kind: 'evaluate', evaluations })) as readonly SentEvaluated[];
        return sent.map(fromSent);
      },
    },
    prepare: async () => (await search.ask({ kind: 'prepare' })) as readonly string[],
    pendingCount: () => search.pendingCount,
    measure: (meter) => {
      thread.meter = meter;
    },
    scan: async (scan) => (await search.scan(scan)) as ScanResult,
  };
}

/** False of requests that do not search; a scan comes from the store, which has seen to its indexes. */
function readsIndexes({ kind }: SearchRequest): boolean {
  return kind === 'put_query' || kind === 'affected' || kind === 'evaluate';
}
