import type { Logger } from '../logger.ts';
import { maintain } from '../operations/maintain.ts';
import type { TierDeps } from '../operations/tier-policy-of.ts';
import { RepeatingJob } from './repeating-job.ts';

/** Moves of one round; then what else waits for its turn comes first. */
const MOVES_AT_ONCE = 5000;

/**
 * Moves down what has been in its tier for too long or is over a limit, or because memory is short, every so often, round
 * after round while there is any.
 */
export function maintenanceJob(deps: TierDeps, intervalMs: number, logger: Logger): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    let movedCount = 0;
    let hasRelieved = false;
    try {
      const order = { dryRun: false, flush: false, anyType: false, movesMax: MOVES_AT_ONCE };
      for await (const { namespace, moves, damagedIds } of maintain(deps, order, { signal })) {
        movedCount += moves.length;
        hasRelieved ||= moves.some(({ reason }) => reason === 'redis_memory' || reason === 'process_memory');
        if (damagedIds.length > 0)
          logger.error({ namespace, ids: damagedIds }, 'memories are damaged and stay in their tier');
      }
    } catch (error) {
      if (signal.aborted) return intervalMs;
      // Of one of the namespaces: what was moved of the others counts.
      logger.error({ err: error }, 'tiers could not be maintained');
    }
    if (movedCount > 0) logger.debug({ count: movedCount }, 'memories moved to lower tiers');
    // Memory that is still short is looked at again at once.
    return hasRelieved || movedCount >= MOVES_AT_ONCE ? 0 : intervalMs;
  });
}
