import { isUnavailable, type MnemeError } from '../../memory/errors.ts';
import type { Filter } from '../../memory/filter.ts';
import type {
  Degradation,
  RecallEngine,
  RecallQuery,
  RecallResult,
  VectorIndexState,
} from '../../recall/recall-engine.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { Follower } from './follower.ts';

const LONG_TERM: Filter = {
  kind: 'comparison',
  target: { kind: 'field', field: 'tier' },
  operator: 'equals',
  values: ['long_term'],
  ignoreCase: false,
};

export interface TieredEngineOptions {
  /** Searches the cold store, including copies of hot memories. */
  readonly engine: RecallEngine;
  readonly cold: MemoryStore;
  readonly follower: Follower;
  /** Fails with NAMESPACE_NOT_FOUND. */
  readonly getNamespace: (name: string) => Promise<unknown>;
}

/** Recall over all tiers: with complete copies, and without the hot tiers when their store is lost. */
export class TieredEngine implements RecallEngine {
  private readonly options: TieredEngineOptions;

  constructor(options: TieredEngineOptions) {
    this.options = options;
  }

  get textModel(): string {
    return this.options.engine.textModel;
  }

  async search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    const { engine, cold, follower, getNamespace } = this.options;
    await getNamespace(query.namespace);
    const found = await this.searchNow(query, signal);
    if (found) return found;
    let lost: MnemeError | undefined;
    try {
      await follower.catchUpFirst(query.namespace);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      lost = error;
    }
    // Other entries of the hot store are of other namespaces.
    const revision = Math.min(query.revision, cold.revision);
    if (!lost) return engine.search({ ...query, revision }, signal);
    const filter: Filter = query.filter ? { kind: 'all', filters: [query.filter, LONG_TERM] } : LONG_TERM;
    const result = await engine.search({ ...query, revision, filter }, signal);
    return { ...result, degraded: [...degraded(lost), ...result.degraded] };
  }

  /**
   * While memories move, the copies are searched at once, and the hot store reports concurrently whether they were
   * complete.
   */
  private async searchNow(query: RecallQuery, signal: AbortSignal): Promise<RecallResult | undefined> {
    const { engine, cold, follower } = this.options;
    const complete = follower.completeNow(query.namespace);
    if (!complete) return undefined;
    const found = engine.search({ ...query, revision: Math.min(query.revision, cold.revision) }, signal);
    // Its failure matters only to the code that uses the answer.
    found.catch(() => undefined);
    return (await complete) ? found : undefined;
  }

  statistics(): Promise<VectorIndexState[]> {
    return this.options.engine.statistics();
  }
  close(): Promise<void> {
    return this.options.engine.close();
  }
}

function degraded({ message }: MnemeError): Degradation[] {
  return [
    { part: 'short_term', reason: message },
    { part: 'intermediate', reason: message },
  ];
}
