import { isNamespaceMissing, isUnavailable } from '../../memory/errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { StoreStatistics } from '../store-statistics.ts';
import type { Follower } from './follower.ts';

/** What all namespaces hold; where the hot store cannot be asked, what was copied of them, and why. */
export async function statisticsOfAll({
  cold,
  follower,
}: {
  readonly cold: Pick<MemoryStore, 'statistics'>;
  readonly follower: Pick<Follower, 'followed' | 'catchUp'>;
}): Promise<StoreStatistics> {
  const caughtUp = [...follower.followed.keys()].map((namespace) => follower.catchUp(namespace));
  const failures = (await Promise.allSettled(caughtUp)).flatMap((one): unknown[] =>
    // Of a namespace that is deleted there is nothing to be counted.
    one.status === 'rejected' && !isNamespaceMissing(one.reason) ? [one.reason] : [],
  );
  const lost = failures.find(isUnavailable);
  if (failures.length > 0 && !failures.every(isUnavailable)) throw failures.find((failure) => !isUnavailable(failure));
  const statistics = await cold.statistics();
  return lost ? { ...statistics, degraded: `short_term and intermediate: ${lost.message}` } : statistics;
}
