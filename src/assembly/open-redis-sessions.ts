import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { HookPeers } from '../storage/hook-peers.ts';
import type { LifecycleEvents } from '../storage/lifecycle-events.ts';
import type { MemoryStore } from '../storage/memory-store.ts';
import type { RedisConnection } from '../storage/redis/connection.ts';
import type { SessionLoss } from '../storage/redis/sessions/session-rooms.ts';
import type { SeenRooms } from '../storage/seen-rooms.ts';
import type { SessionStore } from '../storage/session-store.ts';
import { ToldLosses } from '../told-losses.ts';

/** Time between looks for what other servers did to sessions that are watched here. */
const POLL_MS = 250;
/** Time after which the hooks of a server that has died are asked no more. */
const HOOK_LEASE_MS = 5000;
const LOSSES: Readonly<Record<SessionLoss, string>> = {
  flushed: 'sessions are lost: Redis was emptied or restarted without its data',
  rolled_back: 'the latest writes of sessions are lost: Redis has gone back to an older state',
};

/** Sessions in the Redis of the settings. Loaded only where it is wanted: start-up is what everybody waits for. */
export async function openRedisSessions(
  config: Config,
  store: MemoryStore,
  seen: SeenRooms,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<{
  readonly sessions: SessionStore;
  readonly events: LifecycleEvents;
  readonly hookPeers: HookPeers;
  readonly redis: RedisConnection;
  readonly backend: WatchedBackend;
  degraded(): readonly string[];
}> {
  const { openRedisOf, openWatchedRedis, refusalsOf, watchedRedis } = await import('./open-redis.ts');
  const { RedisSessionStore } = await import('../storage/redis/sessions/session-store.ts');
  const { connection: redis, durability } = await openWatchedRedis(config, logger, 'sessions');
  closers.push(() => redis.close());
  closers.push(() => durability.stop());
  const losses = new ToldLosses();
  const sessions = new RedisSessionStore(redis, {
    prefix: config.redisKeyPrefix,
    pollMs: POLL_MS,
    durability,
    retentionMs: config.idempotencyRetentionMs,
    checkNamespace: (name) => store.getNamespace(name),
    seen,
    lossHoldMs: config.sessionLossHoldMs,
    onLoss: (namespace, loss) => {
      logger.error({ namespace, loss }, LOSSES[loss]);
      losses.note(`namespaces/${namespace}: ${LOSSES[loss]}`);
      durability.readAgain();
    },
  });
  closers.push(() => sessions.close());
  const { RedisLifecycleEvents } = await import('../storage/redis/sessions/lifecycle-events.ts');
  const { RedisHookPeers } = await import('../storage/redis/sessions/hook-peers.ts');
  const hookPeers = new RedisHookPeers({
    redis,
    prefix: config.redisKeyPrefix,
    connect: () => openRedisOf(config, logger, 'hooks of other servers'),
    // Redis must have answered before the command is given up.
    waitMs: config.redisCommandTimeoutMs / 2,
    leaseMs: HOOK_LEASE_MS,
  });
  closers.push(() => hookPeers.close());
  return {
    sessions,
    events: new RedisLifecycleEvents(redis, config.redisKeyPrefix),
    hookPeers,
    redis,
    backend: watchedRedis(redis, 'sessions', async () => lostServices(config)),
    degraded: () => [...refusalsOf(redis, 'sessions'), ...losses.texts],
  };
}

function lostServices({ sessionsWhenLost }: Config): readonly string[] {
  return sessionsWhenLost === 'fail' ? ['WorkingMemoryService', 'LifecycleService'] : ['LifecycleService'];
}
