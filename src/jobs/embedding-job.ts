import type { Logger } from '../logger.ts';
import { type EmbedPendingOutcome, embedPending } from '../operations/memories/embed-pending.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { FailureDelay } from './failure-delay.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Embeds what waits in the store's queue, soon after it came; slows down while the embedder does not answer. */
export class EmbeddingJob {
  private readonly job: RepeatingJob;
  private readonly delay = new FailureDelay();
  private lastFailure: string | undefined;

  constructor(
    deps: Pick<MemoryDeps, 'store' | 'embedder' | 'clock'>,
    settings: { readonly batchSize: number; readonly intervalMs: number },
    logger: Logger,
  ) {
    this.job = new RepeatingJob(async (signal) => {
      try {
        return this.delayAfter(await embedPending(deps, settings.batchSize, signal), settings.intervalMs, logger);
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, 'texts could not be embedded');
        return settings.intervalMs;
      }
    });
  }

  /** Why the embedder does not work; `undefined` while it does. */
  get failure(): string | undefined {
    return this.lastFailure;
  }

  start(): void {
    this.job.start(0);
  }

  /** Looks at once; while the embedder fails, only when its time has come. */
  wake(): void {
    if (!this.delay.isFailing) this.job.wake();
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  private delayAfter({ isDone, failure }: EmbedPendingOutcome, intervalMs: number, logger: Logger): number {
    if (!failure) {
      if (this.lastFailure !== undefined) logger.info('the embedder works again');
      this.delay.succeeded();
      this.lastFailure = undefined;
      return isDone ? intervalMs : 0;
    }
    if (this.lastFailure === undefined) logger.warn({ reason: failure.message }, 'the embedder does not answer');
    this.lastFailure = failure.message;
    return this.delay.failed();
  }
}
