import type { Logger } from '../logger.ts';
import { RepeatingJob } from './repeating-job.ts';

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
  });
}
