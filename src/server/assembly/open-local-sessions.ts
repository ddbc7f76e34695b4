import type { Clock } from '../../memory/clock.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import {
  type FallbackSessionStore,
  openFallbackSessions,
} from '../../storage/sessions/fallback/fallback-session-store.ts';
import type { SqliteMemoryStore } from '../../storage/sqlite/memory-store.ts';
import { sqliteSessions } from '../../storage/sqlite/sessions/session-store.ts';
import type { Config } from '../config/config.ts';
import { sessionLimitsOf } from '../config/session-limits.ts';
import { mergeJob } from '../jobs/session-jobs.ts';
import type { Logger } from '../logger.ts';
import { namespaceNames } from '../operations/namespaces/namespaces.ts';

/** Interval of attempts to merge local writes. */
const MERGE_INTERVAL_MS = 1000;
const REPORTED_MAX = 10;

/**
 * Sessions whose working memory continues in the data folder while their store is away, where the settings allow it.
 * Where they no longer do, earlier local writes are still merged.
 */
export async function openLocalSessions(
  config: Config,
  remote: SessionStore,
  store: SqliteMemoryStore,
  clock: Clock,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<{ readonly sessions: SessionStore; degraded(): readonly string[] }> {
  const goesOn = config.sessionsWhenLost === 'serve_local';
  const sessions = await openFallbackSessions({
    goesOn,
    remote,
    local: sqliteSessions(store),
    clock,
    limits: sessionLimitsOf(config),
    namespaces: () => namespaceNames(store),
    onConflicts: (session, conflicts) =>
      logger.warn(
        { session, keys: conflicts.map(({ key }) => key) },
        'others have changed what was written here while Redis was away: theirs stays, this is in notes of the session',
      ),
  });
  if (!goesOn && sessions.detours.length === 0) return { sessions: remote, degraded: () => [] };
  const job = mergeJob((signal) => sessions.comeBackAll(signal), MERGE_INTERVAL_MS, logger);
  job.start(0);
  closers.push(() => job.stop());
  return { sessions, degraded: () => textsOf(sessions) };
}

function textsOf({ detours }: FallbackSessionStore): string[] {
  if (detours.length === 0) return [];
  const one = detours.length === 1;
  const first = `sessions: ${detours.length} ${one ? 'is' : 'are'} served from the data folder until merged into Redis`;
  const failed = detours.filter(({ failure }) => failure !== undefined).slice(0, REPORTED_MAX);
  return [first, ...failed.map(({ session, failure }) => `${session} cannot be merged into Redis: ${failure}`)];
}
