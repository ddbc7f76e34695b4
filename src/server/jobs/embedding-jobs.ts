import { MnemeError } from '../../memory/errors.ts';
import type { Logger } from '../logger.ts';
import { type ReembedDeps, reembedStep } from '../operations/admin/reembed.ts';
import { type EmbedPendingOutcome, embedPending } from '../operations/memories/embed-texts.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { type Leased, unshared, type Work } from './leased-work.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Embeds memories from the store's queue soon after they enter it; backs off while the embedder does not answer. */
export class EmbeddingJob {
  private readonly job: RepeatingJob;
  private readonly delay = new FailureDelay();

  constructor(
    deps: Pick<MemoryDeps, 'store' | 'embedder' | 'clock'>,
    settings: { readonly batchSize: number; readonly intervalMs: number },
    logger: Logger,
    leased: Leased = unshared,
  ) {
    const work: Work = async (signal) => {
      try {
        return this.delayAfter(await embedPending(deps, settings.batchSize, signal), settings.intervalMs);
      } catch (error) {
        if (!signal.aborted) logger.error({ err: error }, 'texts could not be embedded');
        return settings.intervalMs;
      }
    };
    this.job = new RepeatingJob(leased(work), 'embedding');
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

  private delayAfter({ isDone, failure }: EmbedPendingOutcome, intervalMs: number): number {
    if (failure) return this.delay.failed();
    this.delay.succeeded();
    return isDone ? intervalMs : 0;
  }
}

/** Runs pending re-embeddings, batch after batch; backs off while the embedder does not answer. */
export class ReembeddingJob {
  private readonly job: RepeatingJob;
  private readonly logger: Logger;
  private readonly delay = new FailureDelay();
  private lastFailure = '';

  constructor(
    deps: Omit<ReembedDeps, 'store' | 'onReembedding'>,
    settings: { readonly batchSize: number; readonly intervalMs: number },
    logger: Logger,
    leased: Leased = unshared,
  ) {
    this.logger = logger;
    const work: Work = async (signal) => {
      try {
        const { isLeft, waitsFor } = await reembedStep(deps, settings.batchSize, signal);
        this.delay.succeeded();
        this.report(waitsFor === undefined ? '' : waiting(waitsFor, deps.embedder.model));
        return isLeft ? 0 : settings.intervalMs;
      } catch (error) {
        return signal.aborted ? settings.intervalMs : this.delayAfter(error);
      }
    };
    this.job = new RepeatingJob(leased(work), 're-embedding');
  }

  /** Why it does not go on; empty while it does. */
  get failure(): string {
    return this.lastFailure;
  }

  start(): void {
    this.job.start(0);
  }

  /** Runs now: failed work is retried immediately, and reported again if it still fails. */
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
      this.report(error.message);
    } else {
      const reason = error instanceof MnemeError ? error.message : 'an internal error; the log has the details';
      if (reason !== this.lastFailure) this.logger.error({ err: error }, 'vectors could not be recomputed');
      this.lastFailure = reason;
    }
    return this.delay.failed();
  }

  /** Logs once for each reason; an empty reason logs that work continues. */
  private report(reason: string): void {
    if (reason === this.lastFailure) return;
    this.lastFailure = reason;
    if (reason === '') this.logger.info('vectors are being recomputed again');
    else this.logger.warn({ reason }, 'vectors cannot be recomputed');
  }
}

function waiting(begun: string, present: string): string {
  return `it was started with "${begun}" and waits for that embedder; Reembed starts again with "${present}"`;
}

const FIRST_MS = 1000;
const MAX_MS = 60_000;

/** How long a job waits after failures in a row: a second at first, then twice as long each time, a minute at most. */
class FailureDelay {
  private failures = 0;

  get isFailing(): boolean {
    return this.failures > 0;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /** Time to wait after one more failure. */
  failed(): number {
    return Math.min(FIRST_MS * 2 ** this.failures++, MAX_MS);
  }
}
