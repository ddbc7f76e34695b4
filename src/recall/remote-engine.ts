import type { RecallEngine, RecallQuery, RecallResult, VectorIndexState } from './recall-engine.ts';

export type EngineRequest =
  | { readonly kind: 'recall'; readonly query: RecallQuery }
  | { readonly kind: 'index_states' }
  | { readonly kind: 'close' };

/** True for a recall that waits for nothing to be read, and takes a fraction of a millisecond. */
export function isFastRecall(request: { readonly kind: string } | EngineRequest): boolean {
  if (request.kind !== 'recall' || !('query' in request)) return false;
  const { text, state, scoring } = request.query;
  return text === '' && !state && !scoring;
}

/** Calls into the thread that recalls. */
export interface EngineCalls {
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
    return (await this.calls.ask({ kind: 'recall', query })) as RecallResult;
  }

  async statistics(): Promise<VectorIndexState[]> {
    return (await this.calls.ask({ kind: 'index_states' })) as VectorIndexState[];
  }

  close(): Promise<void> {
    return this.calls.close({ kind: 'close' });
  }
}
