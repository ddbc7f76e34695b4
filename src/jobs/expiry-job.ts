import type { Logger } from '../logger.ts';
import { eraseExpired } from '../operations/memories/forget.ts';
import type { MemoryDeps } from '../operations/memories/operation-deps.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Erases expired memories every so often, batch after batch while there are any. */
export function expiryJob(deps: Pick<MemoryDeps, 'store' | 'clock'>, intervalMs: number, logger: Logger): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      const { erasedCount, isDone } = await eraseExpired(deps);
      if (erasedCount > 0) logger.debug({ count: erasedCount }, 'expired memories erased');
      return isDone ? intervalMs : 0;
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'expired memories could not be erased');
      return intervalMs;
    }
  });
}
