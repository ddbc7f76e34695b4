import type { Config } from './config.ts';
import type { Logger } from './logger.ts';
import type { LifecycleEvents } from './storage/lifecycle-events.ts';
import type { MemoryStore } from './storage/memory-store.ts';
import type { RedisConnection } from './storage/redis/connection.ts';
import type { SessionStore } from './storage/session-store.ts';

/** Time between looks for what other servers did to sessions that are watched here. */
const POLL_MS = 250;

/** Sessions in the Redis of the settings. Loaded only where it is wanted: start-up is what everybody waits for. */
export async function openRedisSessions(
  config: Config,
  store: MemoryStore,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<{ readonly sessions: SessionStore; readonly events: LifecycleEvents; readonly redis: RedisConnection }> {
  const { openRedis } = await import('./storage/redis/open-connection.ts');
  const { RedisSessionStore } = await import('./storage/redis/sessions/session-store.ts');
  const redis = await openRedis({
    urls: config.redisUrl || [],
    connectTimeoutMs: config.redisConnectTimeoutMs,
    commandTimeoutMs: config.redisCommandTimeoutMs,
    retryAfterMs: config.redisRetryMs,
    nowMs: () => performance.now(),
    onChange: (node, isAvailable, err) =>
      isAvailable ? logger.info({ node }, 'Redis answers again') : logger.error({ node, err }, 'Redis does not answer'),
  }).catch((error: unknown) => {
    throw new Error(`MNEME_REDIS_URL: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
  closers.push(() => redis.close());
  const sessions = new RedisSessionStore(redis, {
    prefix: config.redisKeyPrefix,
    pollMs: POLL_MS,
    retentionMs: config.idempotencyRetentionMs,
    checkNamespace: (name) => store.getNamespace(name),
  });
  closers.push(() => sessions.close());
  const { RedisLifecycleEvents } = await import('./storage/redis/sessions/lifecycle-events.ts');
  return { sessions, events: new RedisLifecycleEvents(redis, config.redisKeyPrefix), redis };
}
