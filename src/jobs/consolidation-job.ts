import type { Logger } from '../logger.ts';
import type { BackgroundConsolidation } from '../operations/consolidation/background-consolidation.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Consolidates namespaces whose settings ask for it, when it is due. */
export function consolidationJob(
  background: Pick<BackgroundConsolidation, 'round'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      for await (const { namespace, report, error } of background.round(signal)) {
        if (report) {
          const counts = { madeCount: report.made.length, skippedCount: report.skippedCount, hasMore: report.hasMore };
          logger.info({ namespace, report: report.id, ...counts }, 'a namespace was consolidated');
        } else logger.warn({ namespace, err: error }, 'a namespace could not be consolidated');
      }
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'namespaces could not be consolidated');
    }
    return intervalMs;
  });
}
