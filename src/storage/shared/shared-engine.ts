import { isUnavailable } from '../../memory/errors.ts';
import { TIERS } from '../../memory/memory.ts';
import type { RecallEngine, RecallQuery, RecallResult, VectorIndexState } from '../../recall/recall-engine.ts';
import type { SharedLog } from './shared-log.ts';

/**
 * Recall over the copy of this server: after all acknowledged writes of any server, or in the present state of the
 * copy.
 */
export class SharedEngine implements RecallEngine {
  private readonly engine: RecallEngine;
  private readonly log: Pick<SharedLog, 'current'>;
  private readonly revision: () => number;

  /** `revision`: that of the copy. */
  constructor(engine: RecallEngine, log: Pick<SharedLog, 'current'>, revision: () => number) {
    this.engine = engine;
    this.log = log;
    this.revision = revision;
  }

  get textModel(): string {
    return this.engine.textModel;
  }

  async search(query: RecallQuery, signal: AbortSignal): Promise<RecallResult> {
    let reason: string | undefined;
    try {
      await this.log.current();
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      reason = `recent writes may be missing: ${error.message}`;
    }
    const revision = this.revision();
    if (reason === undefined) return this.engine.search({ ...query, revision }, signal);
    const why = reason;
    // Memories are returned only in their present state.
    const { read: _, ...unread } = query;
    const result = await this.engine.search({ ...unread, revision }, signal);
    return { ...result, degraded: [...TIERS.map((part) => ({ part, reason: why })), ...result.degraded] };
  }

  statistics(): Promise<VectorIndexState[]> {
    return this.engine.statistics();
  }
  close(): Promise<void> {
    return this.engine.close();
  }
}
