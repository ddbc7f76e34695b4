import type { RecallEngine, RecallQuery, RecallResult, VectorIndexState } from '../../recall/recall-engine.ts';
import type { ViewFollower } from './view-follower.ts';

export interface ViewedEngineOptions {
  /** Searches the view. */
  readonly engine: RecallEngine;
  readonly follower: Pick<ViewFollower, 'during'>;
  /** Newest revision of the view's own log. */
  readonly revision: () => number;
}

/** Recall over a view that first gets every write that any server has acknowledged. */
export class ViewedEngine implements RecallEngine {
  private readonly options: ViewedEngineOptions;

  constructor(options: ViewedEngineOptions) {
    this.options = options;
  }

  get textModel(): string {
    return this.options.engine.textModel;
  }

  search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    const { engine, follower, revision } = this.options;
    return follower.during(query.namespace, () => engine.search({ ...query, revision: revision() }, signal));
  }

  statistics(): Promise<VectorIndexState[]> {
    return this.options.engine.statistics();
  }
  close(): Promise<void> {
    return this.options.engine.close();
  }
}
