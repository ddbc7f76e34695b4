import type { JobLeases, LeasedJob } from '../../storage/job-leases.ts';
import type { Logger } from '../logger.ts';

export type Work = (signal: AbortSignal) => Promise<number>;

/** Makes the work of a job run at one server at a time. */
export type Leased = (work: Work) => Work;

/** Of a server that shares nothing. */
export const unshared: Leased = (work) => work;

const LEASE_NOT_TAKEN = 'the lease of a job could not be taken: it is tried again, and the job waits';

/** Work of a `RepeatingJob` that one server does at a time; the other servers ask again after `retryMs`. */
export function leasedWork(leases: JobLeases, job: LeasedJob, retryMs: number, logger: Logger): Leased {
  // While the store does not answer, only the first failure is logged.
  let isFailing = false;
  return (work) => async (signal) => {
    try {
      const run = await leases.run(job, (lost) => work(AbortSignal.any([signal, lost])));
      isFailing = false;
      return run ? run.result : retryMs;
    } catch (error) {
      if (!signal.aborted && !isFailing) logger.warn({ err: error, job: job.name }, LEASE_NOT_TAKEN);
      isFailing = true;
      return retryMs;
    }
  };
}
