import type { Logger } from '../logger.ts';
import type { BackendHealth } from '../operations/admin/backend-health.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Probes one backend every so often, and tells when that changed which services serve. */
export function healthJob(
  backend: BackendHealth,
  intervalMs: number,
  onChange: () => void,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      if (await backend.look()) onChange();
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'a backend could not be probed');
    }
    return intervalMs;
  });
}
