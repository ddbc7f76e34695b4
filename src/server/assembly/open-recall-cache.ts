import { isStillBuilding, isUnavailable } from '../../memory/errors.ts';
import { cacheLimitsOf } from '../../memory/setting-kinds.ts';
import { LruAnswerCache } from '../answer-cache/lru-answer-cache.ts';
import type { Config } from '../config/config.ts';
import type { RecallCache } from '../operations/recall/cached-search.ts';
import type { RecallAnswer } from '../operations/recall/recall-request.ts';
import type { OpenedStorage } from './storage-parts.ts';

/** Maximum entries of the change log that are checked for one recall; with more of them the cache is cleared. */
const LOOKED_THROUGH = 1000;

interface RecallParts {
  readonly cache: RecallCache;
  /** Sets the limits of the cache at run time. */
  readonly onConfig: (settings: ReadonlyMap<string, string>) => void;
}

/** Dependencies of recall besides those of other operations. */
export async function openRecallParts(config: Config, storage: OpenedStorage): Promise<RecallParts> {
  const { configure: onConfig, ...cache } = await openRecallCache(config, storage);
  return { cache, onConfig };
}

/** The cache of answers, and the function that sets its limits. */
async function openRecallCache(
  { recallCacheCount: entriesMax, recallCacheBytes: bytesMax, recallCacheTtlMs: ttlMs }: Config,
  { changes, logSource, store }: Pick<OpenedStorage, 'changes' | 'logSource' | 'store'>,
): Promise<RecallCache & { configure(settings: ReadonlyMap<string, string>): void }> {
  const limits = { entriesMax, bytesMax, ttlMs };
  const answers = new LruAnswerCache<RecallAnswer>(cacheLimitsOf(await store.tierSettings(''), limits));
  let notified = changes.revision;
  return {
    answers,
    configure: (settings) => answers.configure(cacheLimitsOf(settings, limits)),
    async refresh(namespace) {
      try {
        await logSource?.reach(namespace, 0);
      } catch (error) {
        // The search would wait for the view once more.
        if (isUnavailable(error) && !isStillBuilding(error)) return undefined;
        throw error;
      }
      const { revision } = changes;
      if (revision === notified) return revision;
      const names = await changes.changedNamespaces({ afterRevision: notified, limit: LOOKED_THROUGH });
      if (names) for (const name of names) answers.changed(name, revision);
      else answers.clear();
      notified = Math.max(notified, revision);
      return revision;
    },
  };
}
