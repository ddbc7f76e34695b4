import { Worker } from 'node:worker_threads';
import { STATIC_MODEL } from '../embedding/static/token-table.ts';
import type { RecallEngine } from '../recall/recall-engine.ts';
import { RemoteEngine } from '../recall/remote-engine.ts';
import { fromSent, type SentEvaluated } from '../recall/standing/bare-hits.ts';
import type { AffectedQueries, StandingQueryIndex } from '../recall/standing/standing-query.ts';
import type { SearchFault, SearchRequest, SearchThreadOptions } from '../search-thread.ts';
import type { Scan, ScanResult } from '../storage/sqlite/scan.ts';
import { ThreadCalls } from '../thread-calls.ts';

export interface SearchThread {
  readonly engine: RecallEngine;
  readonly scan: Scan;
  readonly standing: StandingQueryIndex;
}

export interface SearchThreadEvents {
  readonly onFault: (part: string, error: unknown) => void;
  /** Called before an answer, which may be of a newer state than this thread has read, is passed on. */
  readonly onAnswer: () => void;
}

/** Starts the thread that recalls and scans; the folder must have been opened by a store. `engine.close` ends it. */
export function startSearchThread(
  options: SearchThreadOptions,
  { onFault, onAnswer }: SearchThreadEvents,
): SearchThread {
  const calls = new ThreadCalls<SearchRequest>({
    name: 'search',
    start: () => {
      const url = new URL('../search-thread.ts', import.meta.url);
      return new Worker(url, { workerData: options, name: 'search' });
    },
    onAnswer,
    onNotice: (notice) => {
      const { part, message, stack } = (notice as SearchFault).fault;
      onFault(part, Object.assign(new Error(message), { stack }));
    },
    onDeath: (cause) => onFault('search thread', cause),
  });
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
    scan: async (scan) => (await calls.ask({ kind: 'scan', scan })) as ScanResult,
  };
}
