import type { Logger } from '../logger.ts';
import type { LifecycleDeps } from '../operations/sessions/lifecycle/lifecycle-deps.ts';
import { sweepSessions } from '../operations/sessions/lifecycle/sweep-sessions.ts';
import { type Leased, unshared, type Work } from './leased-work.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Completes interrupted session transitions and deletes expired session data, periodically. */
export function sessionJob(
  deps: LifecycleDeps,
  times: { readonly intervalMs: number; readonly eventRetentionMs: number },
  logger: Logger,
  leased: Leased = unshared,
): RepeatingJob {
  const startedAtUs = deps.clock.nowUs();
  const work: Work = async (signal) => {
    try {
      const { erasedCount, finishedCount, expiredCount, failures, isDone } = await sweepSessions(
        deps,
        { ...times, startedAtUs },
        signal,
      );
      if (erasedCount + finishedCount + expiredCount > 0)
        logger.debug({ erasedCount, finishedCount, expiredCount }, 'sessions swept');
      for (const err of failures) logger.error({ err }, 'the end of a session could not be finished');
      return isDone ? times.intervalMs : 0;
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'sessions could not be swept');
      return times.intervalMs;
    }
  };
  return new RepeatingJob(leased(work), 'session sweep');
}

/** Merges sessions that were served locally while their store was away, soon after it is back. */
export function mergeJob(
  merge: (signal: AbortSignal) => Promise<void>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      await merge(signal);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'sessions could not be merged');
    }
    return intervalMs;
  }, 'session merge');
}
