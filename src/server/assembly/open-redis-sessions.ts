import type { HookPeers } from '../../storage/hook-peers.ts';
import type { LifecycleEvents } from '../../storage/lifecycle-events.ts';
import type { RedisConnection } from '../../storage/redis/connection.ts';
import type { RedisDurability } from '../../storage/redis/durability.ts';
import { RedisHookPeers } from '../../storage/redis/sessions/hook-peers.ts';
import { RedisLifecycleEvents } from '../../storage/redis/sessions/lifecycle-events.ts';
import type { SessionLoss } from '../../storage/redis/sessions/session-keyspaces.ts';
import { type RedisSessionOptions, RedisSessionStore } from '../../storage/redis/sessions/session-store.ts';
import type { SessionStore } from '../../storage/session-store.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { ReportedLosses } from '../reported-losses.ts';
import { openRedisOf, openSessionRedis, refusalsOf, watchedRedis } from './open-redis.ts';
import type { PrefixUse } from './take-prefix.ts';

/** Interval of polls for changes of other servers in watched sessions. */
const POLL_MS = 250;
/** Time after which the hooks of a dead server are no longer called. */
const HOOK_LEASE_MS = 5000;
const LOSSES: Readonly<Record<SessionLoss, string>> = {
  flushed: 'sessions are lost: Redis was emptied or restarted without its data',
  rolled_back: 'the latest writes of sessions are lost: Redis has gone back to an older state',
};

export interface RedisSessions {
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly hookPeers: HookPeers;
  readonly redis: RedisConnection;
  readonly durability: { readonly current: RedisDurability };
  readonly backend: WatchedBackend;
  /** Parts that do not work, or have lost data since the start. */
  degraded(): readonly string[];
}

/** Sessions in the Redis of the settings. Fails, in one line, when it is not reachable, unless they can be served locally. */
export async function openRedisSessions(
  config: Config,
  use: PrefixUse,
  records: Pick<RedisSessionOptions, 'checkNamespace' | 'seen'>,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<RedisSessions> {
  const mayStartWithout = config.sessionsWhenLost === 'serve_local';
  const { connection: redis, durability } = await openSessionRedis(config, use, logger, closers, mayStartWithout);
  const losses = new ReportedLosses();
  const sessions = new RedisSessionStore(redis, {
    ...records,
    prefix: config.redisKeyPrefix,
    pollMs: POLL_MS,
    durability,
    retentionMs: config.idempotencyRetentionMs,
    lossHoldMs: config.sessionLossHoldMs,
    onLoss: (namespace, loss) => {
      logger.error({ namespace, loss }, LOSSES[loss]);
      losses.note(`namespaces/${namespace}: ${LOSSES[loss]}`);
      durability.readAgain();
    },
  });
  closers.push(() => sessions.close());
  const hookPeers = new RedisHookPeers({
    redis,
    prefix: config.redisKeyPrefix,
    connect: () => openRedisOf(config, logger, 'hooks of other servers'),
    // Redis must have answered before the command times out.
    waitMs: config.redisCommandTimeoutMs / 2,
    leaseMs: HOOK_LEASE_MS,
  });
  closers.push(() => hookPeers.close());
  return {
    sessions,
    events: new RedisLifecycleEvents(redis, config.redisKeyPrefix),
    hookPeers,
    redis,
    durability,
    backend: watchedRedis(redis, keptIn(config), servedWithout(config), async () => lostServices(config)),
    degraded: () => [...refusalsOf(redis, 'sessions'), ...losses.texts],
  };
}

function keptIn({ upperTiers }: Config): string {
  return upperTiers === 'redis' ? 'sessions and texts in the upper tiers' : 'sessions';
}

function servedWithout({ sessionsWhenLost, upperTiers }: Config): string {
  const sessions =
    sessionsWhenLost === 'fail'
      ? 'calls of sessions are refused'
      : 'working memory goes on in the data folder, and moves of sessions are refused';
  const memories =
    upperTiers === 'redis'
      ? 'memories are read from the view in the data folder, and writes to upper tiers are refused'
      : 'memories are read and written';
  return `${memories}; ${sessions}`;
}

/** New memories go to short-term memory, so writes fail while their texts cannot be stored. */
function lostServices({ sessionsWhenLost, upperTiers }: Config): readonly string[] {
  const ofSessions = sessionsWhenLost === 'fail' ? ['WorkingMemoryService', 'LifecycleService'] : ['LifecycleService'];
  return upperTiers === 'redis' ? [...ofSessions, 'MemoryService', 'IngestService'] : ofSessions;
}
