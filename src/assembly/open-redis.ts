import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { MnemeError } from '../memory/errors.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { RedisConnection } from '../storage/redis/connection.ts';
import { type RedisDurability, WatchedDurability } from '../storage/redis/durability.ts';
import { openRedis } from '../storage/redis/open-connection.ts';

/** A connection to the Redis of the settings, for what `kept` names. Fails, in one line, when it cannot be reached. */
export function openRedisOf(
  config: Config,
  logger: Logger,
  kept: string,
  onReconnect?: () => void,
): Promise<RedisConnection> {
  return openRedis({
    urls: config.redisUrl,
    connectTimeoutMs: config.redisConnectTimeoutMs,
    commandTimeoutMs: config.redisCommandTimeoutMs,
    retryAfterMs: config.redisRetryMs,
    nowMs: () => performance.now(),
    ...(onReconnect && { onReconnect }),
    onChange: (node, isAvailable, err) => {
      if (isAvailable) logger.info({ node }, 'Redis answers again');
      else logger.error({ node, err }, `Redis does not answer: ${kept} cannot be reached`);
    },
    onRefusal: (node, refusal) => {
      if (!refusal) logger.info({ node }, 'Redis stores again');
      else logger.error({ node, err: refusal }, `Redis stores nothing: ${kept} are as they were`);
    },
  }).catch((error: unknown) => {
    throw new Error(startFailure(error, addressesOf(config.redisUrl)), { cause: error });
  });
}

function startFailure(error: unknown, where: string): string {
  if (!(error instanceof MnemeError)) return `MNEME_REDIS_URL: ${where}: ${String(error)}`;
  if (error.metadata['fault'] !== 'disconnected') return `MNEME_REDIS_URL: ${where}: ${error.message}`;
  const why = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `MNEME_REDIS_URL: there is no connection to Redis at ${where}${why}. Start it, or correct the address.`;
}

/** Without names and passwords. */
function addressesOf(urls: readonly string[]): string {
  return urls.map((url) => new URL(url).host).join(', ');
}

/** The same with what writes to it survive, which is read again when it may be another. */
export async function openWatchedRedis(
  config: Config,
  logger: Logger,
  kept: string,
  onChange?: (now: RedisDurability) => void,
): Promise<{ readonly connection: RedisConnection; readonly durability: WatchedDurability }> {
  let durability: WatchedDurability | undefined;
  const connection = await openRedisOf(config, logger, kept, () => durability?.readAgain());
  try {
    durability = await WatchedDurability.read({
      connection,
      retryAfterMs: config.redisRetryMs,
      ...(onChange && { onChange }),
      onFault: (err) => logger.error({ err }, `what ${kept} in Redis survive cannot be read`),
    });
    return { connection, durability };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Why Redis, which answers, stores nothing at this moment of what `kept` names. */
export function refusalsOf({ isAvailable, refusal }: RedisConnection, kept: string): string[] {
  return isAvailable && refusal ? [`${kept}: ${refusal.message}`] : [];
}

/**
 * Redis as a backend whose health is watched. Of a cluster one node that answers is enough: what is on the others is missing,
 * and the services go on with the rest.
 */
export function watchedRedis(
  connection: RedisConnection,
  keeps: string,
  services: WatchedBackend['services'],
): WatchedBackend {
  return {
    technology: 'Redis',
    keeps,
    services,
    get isAvailable() {
      return connection.isAvailable;
    },
    async probe() {
      await connection.askReachable(['PING']);
    },
  };
}
