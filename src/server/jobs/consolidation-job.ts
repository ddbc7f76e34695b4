import type { Logger } from '../logger.ts';
import type { BackgroundConsolidation } from '../operations/consolidation/background-consolidation.ts';
import type { Leased, Work } from './leased-work.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Background consolidations of this server since its start. */
export interface ConsolidationCounts {
  runCount: number;
  failureCount: number;
  madeCount: number;
}

/** Consolidates namespaces whose settings ask for it, when it is due. */
export function consolidationJob(
  background: Pick<BackgroundConsolidation, 'round'>,
  intervalMs: number,
  logger: Logger,
  done: ConsolidationCounts,
  leased: Leased,
): RepeatingJob {
  const work: Work = async (signal) => {
    try {
      for await (const { namespace, report, error } of background.round(signal)) {
        if (report) {
          done.runCount++;
          done.madeCount += report.made.length;
          const counts = { madeCount: report.made.length, skippedCount: report.skippedCount, hasMore: report.hasMore };
          logger.info({ namespace, report: report.id, ...counts }, 'a namespace was consolidated');
        } else {
          done.failureCount++;
          logger.warn({ namespace, err: error }, 'a namespace could not be consolidated');
        }
      }
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'namespaces could not be consolidated');
    }
    return intervalMs;
  };
  return new RepeatingJob(leased(work), 'consolidation');
}
