import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import type { MemoryPressure } from '../operations/tiers/memory-pressure.ts';
import type { MaintenanceJob } from './maintenance-job.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Looks every so often how much memory is left, and has the tiers maintained at once where it is too little and that helps. */
export function pressureJob(
  pressure: MemoryPressure,
  clock: Clock,
  maintenance: Pick<MaintenanceJob, 'wake'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      await pressure.look();
      if (pressure.reliefDueAtUs <= clock.nowUs()) maintenance.wake();
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'how much memory is left cannot be told');
    }
    return intervalMs;
  });
}
