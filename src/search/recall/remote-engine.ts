import type { Filter, Operator } from '../../memory/filter.ts';
import type { RecallEngine, RecallQuery, RecallResult, VectorIndexState } from './recall-engine.ts';

export type EngineRequest =
  | { readonly kind: 'recall'; readonly query: RecallQuery }
  | { readonly kind: 'index_states' }
  | { readonly kind: 'close' };

/** True for a recall that waits for nothing to be read, and takes a fraction of a millisecond. */
export function isFastRecall(request: { readonly kind: string } | EngineRequest): boolean {
  if (request.kind !== 'recall' || !('query' in request)) return false;
  const { text, state, scoring, filter } = request.query;
  return text === '' && !state && !scoring && !(filter && readsTexts(filter));
}

/** Whether the filter may have to look into the text of each memory. */
function readsTexts(filter: Filter): boolean {
  switch (filter.kind) {
    case 'all':
    case 'any':
      return filter.filters.some(readsTexts);
    case 'not':
      return readsTexts(filter.filter);
    case 'place':
      return false;
    case 'comparison':
      return SUBSTRINGS.has(filter.operator) || filter.ignoreCase;
  }
}

const SUBSTRINGS: ReadonlySet<Operator> = new Set(['contains', 'starts_with', 'matches']);

/** Calls into the thread that recalls. */
export interface EngineCalls {
  /** Fails with the reason of the signal where it is aborted before the search is done. */
  recall(query: RecallQuery, signal: AbortSignal): Promise<unknown>;
  ask(request: EngineRequest): Promise<unknown>;
  close(last: EngineRequest): Promise<void>;
}

/** Recall that happens in another thread. */
export class RemoteEngine implements RecallEngine {
  readonly textModel: string;
  private readonly calls: EngineCalls;

  constructor(calls: EngineCalls, textModel = '') {
    this.calls = calls;
    this.textModel = textModel;
  }

  async search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    signal.throwIfAborted();
    return (await this.calls.recall(query, signal)) as RecallResult;
  }

  async statistics(): Promise<VectorIndexState[]> {
    return (await this.calls.ask({ kind: 'index_states' })) as VectorIndexState[];
  }

  close(): Promise<void> {
    return this.calls.close({ kind: 'close' });
  }
}
