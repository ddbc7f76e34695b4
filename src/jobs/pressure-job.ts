import type { Logger } from '../logger.ts';
import type { MemoryPressure } from '../operations/memory-pressure.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Looks every so often how much memory is left, and has the tiers maintained at once where it is too little. */
export function pressureJob(
  pressure: MemoryPressure,
  maintenance: Pick<RepeatingJob, 'wake'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      if ((await pressure.look()).length > 0) maintenance.wake();
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'how much memory is left cannot be told');
    }
    return intervalMs;
  });
}
