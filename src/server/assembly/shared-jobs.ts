import { ALONE } from '../../storage/job-leases.ts';
import { type Leased, leasedWork } from '../jobs/leased-work.ts';
import type { Logger } from '../logger.ts';
import type { OpenedStorage } from './storage-parts.ts';

/** Time after which another server takes over the job of one that has ended. */
const KEPT_MS_MAX = 60_000;

/** Makes a job run at one of the servers that share the storage: at the same one while that runs it in time. */
export type LeasedAs = (name: string, intervalMs: number) => Leased;

export function leasedBy({ jobLeases = ALONE }: Pick<OpenedStorage, 'jobLeases'>, logger: Logger): LeasedAs {
  return (name, intervalMs) => {
    const keepMs = Math.min(2 * intervalMs, KEPT_MS_MAX);
    return leasedWork(jobLeases, { name, keepMs }, intervalMs, logger.child({ part: name }));
  };
}

/** Time after which a server asks again for work that another one was doing: it may have ended before it saw all of it. */
const AGAIN_MS_MAX = 1000;

/** Of jobs that any server begins as soon as there is work: the lease is released after each run. */
export function leasedBriefly({ jobLeases = ALONE }: Pick<OpenedStorage, 'jobLeases'>, logger: Logger): LeasedAs {
  return (name, intervalMs) =>
    leasedWork(jobLeases, { name, keepMs: 0 }, Math.min(intervalMs, AGAIN_MS_MAX), logger.child({ part: name }));
}
