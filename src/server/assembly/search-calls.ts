import { MnemeError } from '../../memory/errors.ts';
import type { RecallQuery } from '../../search/recall/recall-engine.ts';
import { isFastRecall } from '../../search/recall/remote-engine.ts';
import type { ThreadCalls } from '../../search/threads/thread-calls.ts';
import type { ScanRequest } from '../../storage/sqlite/scan.ts';
import { FairCalls } from '../search-thread/fair-calls.ts';
import type { SearchRequest } from '../search-thread/search-thread.ts';

/** Fast recalls at the thread at a time: some milliseconds of work, so that calls of one turn share a message. */
const FAST_AT_THREAD = 32;
/** Other searches at the thread at a time: the next one is there when the thread has done one. */
const SLOW_AT_THREAD = 2;

/**
 * Calls into the search thread, shared fairly among callers and their namespaces. A search ends with the call that it
 * is made for; work of the server itself (standing queries) does not wait.
 */
export class SearchCalls {
  private readonly thread: ThreadCalls<SearchRequest>;
  private readonly fast: FairCalls<SearchRequest>;
  private readonly slow: FairCalls<SearchRequest>;

  constructor(thread: ThreadCalls<SearchRequest>) {
    this.thread = thread;
    const ask = (request: SearchRequest): Promise<unknown> => thread.ask(request);
    this.fast = new FairCalls({ ask, window: FAST_AT_THREAD });
    this.slow = new FairCalls({ ask, window: SLOW_AT_THREAD });
  }

  /** Requests without an answer, at the thread or before it. */
  get pendingCount(): number {
    return this.thread.pendingCount + this.fast.waitingCount + this.slow.waitingCount;
  }

  ask(request: SearchRequest): Promise<unknown> {
    return this.thread.ask(request);
  }

  recall(query: RecallQuery, signal?: AbortSignal): Promise<unknown> {
    const request = { kind: 'recall', query } as const;
    const calls = isFastRecall(request) ? this.fast : this.slow;
    return calls.ask(request, { caller: query.caller ?? '', namespace: query.namespace }, signal);
  }

  scan(scan: ScanRequest): Promise<unknown> {
    const { asker, ...read } = { asker: undefined, namespace: '', ...scan.read };
    // The asker stays here: its signal cannot be sent.
    const request = { kind: 'scan', scan: { ...scan, read } as ScanRequest } as const;
    return this.slow.ask(request, { caller: asker?.caller ?? '', namespace: read.namespace ?? '' }, asker?.signal);
  }

  /** Searches that wait fail with DRAINING. */
  close(last: SearchRequest): Promise<void> {
    const reason = new MnemeError('DRAINING', 'the server is stopping');
    this.fast.close(reason);
    this.slow.close(reason);
    return this.thread.close(last);
  }
}
