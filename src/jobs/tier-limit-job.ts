import type { Logger } from '../logger.ts';
import type { CrowdedNamespaces } from '../operations/tiers/crowded-namespaces.ts';
import type { MaintenanceJob } from './maintenance-job.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Looks every so often where writes have brought a tier well above a limit, and has those namespaces maintained at once. */
export function tierLimitJob(
  crowded: Pick<CrowdedNamespaces, 'look'>,
  maintenance: Pick<MaintenanceJob, 'wake' | 'hurry'>,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      const namespaces = await crowded.look();
      if (namespaces === undefined) maintenance.wake();
      else if (namespaces.length > 0) maintenance.hurry(namespaces);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'which tiers are over a limit cannot be told');
    }
    return intervalMs;
  });
}
