import type { Logger } from '../logger.ts';
import { MnemeError } from '../memory/errors.ts';
import { type ReembedDeps, reembedStep } from '../operations/admin/reembed.ts';
import { FailureDelay } from './failure-delay.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Re-embeds what is under way, batch after batch; slows down while the embedder does not answer. */
export class ReembeddingJob {
  private readonly job: RepeatingJob;
  private readonly logger: Logger;
  private readonly delay = new FailureDelay();
  private lastFailure = '';

  constructor(
    deps: Omit<ReembedDeps, 'store' | 'onReembedding'>,
    settings: { readonly batchSize: number; readonly intervalMs: number },
    logger: Logger,
  ) {
    this.logger = logger;
    this.job = new RepeatingJob(async (signal) => {
      try {
        const { isLeft, waitsFor } = await reembedStep(deps, settings.batchSize, signal);
        this.delay.succeeded();
        this.tell(waitsFor === undefined ? '' : waiting(waitsFor, deps.embedder.model));
        return isLeft ? 0 : settings.intervalMs;
      } catch (error) {
        return signal.aborted ? settings.intervalMs : this.delayAfter(error);
      }
    });
  }

  /** Why it does not go on; empty while it does. */
  get failure(): string {
    return this.lastFailure;
  }

  start(): void {
    this.job.start(0);
  }

  /** Somebody asks for it: what kept it from going on is tried at once, and told anew if it still does. */
  wake(): void {
    this.delay.succeeded();
    this.lastFailure = '';
    this.job.wake();
  }

  stop(): Promise<void> {
    return this.job.stop();
  }

  private delayAfter(error: unknown): number {
    if (error instanceof MnemeError && error.reason === 'EMBEDDER_UNAVAILABLE') {
      this.tell(error.message);
    } else {
      const reason = error instanceof MnemeError ? error.message : 'an internal error; the log has the details';
      if (reason !== this.lastFailure) this.logger.error({ err: error }, 'vectors could not be made anew');
      this.lastFailure = reason;
    }
    return this.delay.failed();
  }

  /** Once for each reason; empty when it goes on. */
  private tell(reason: string): void {
    if (reason === this.lastFailure) return;
    this.lastFailure = reason;
    if (reason === '') this.logger.info('vectors are made anew again');
    else this.logger.warn({ reason }, 'vectors cannot be made anew');
  }
}

function waiting(begun: string, present: string): string {
  return `it was begun with "${begun}" and waits for that embedder; Reembed begins anew with "${present}"`;
}
