import type { RecallEngine, RecallQuery, RecallResult } from '../../recall/recall-engine.ts';
import { type AnswerState, type KeptHits, NONE_KEPT } from './answer-state.ts';

/**
 * Leaves out of what an engine finds the hits of which there is nothing to tell to the reader of a standing query: they need not
 * be read. For queries that are searched for once, and whose hits have no neighbours.
 */
export class UnreadHits implements RecallEngine {
  /** Those that the last search has left out. */
  kept = NONE_KEPT;
  /** Nothing is left out. */
  readsAll = false;
  /** That is asked. */
  engine: RecallEngine;
  private readonly state: AnswerState;

  constructor(engine: RecallEngine, state: AnswerState) {
    this.engine = engine;
    this.state = state;
  }

  get textModel(): string {
    return this.engine.textModel;
  }

  async search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    this.kept = NONE_KEPT;
    const result = await this.engine.search(query, signal);
    if (this.readsAll) return result;
    const known = result.hits.flatMap((hit, at) => (this.state.knows(hit, at + 1) ? [[at + 1, hit.id] as const] : []));
    if (known.length === 0) return result;
    const kept: KeptHits = new Map(known);
    this.kept = kept;
    return { ...result, hits: result.hits.filter((_, at) => !kept.has(at + 1)) };
  }

  statistics() {
    return this.engine.statistics();
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
