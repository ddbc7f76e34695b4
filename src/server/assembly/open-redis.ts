import { MnemeError } from '../../memory/errors.ts';
import type { RedisConnection } from '../../storage/redis/connection.ts';
import { type RedisDurability, WatchedDurability } from '../../storage/redis/durability.ts';
import { LateConnection } from '../../storage/redis/late-connection.ts';
import { type ConnectionOptions, openRedis } from '../../storage/redis/open-connection.ts';
import type { ServerPresence } from '../../storage/redis/server-presence.ts';
import { isAway } from '../../storage/sessions/fallback/fallback-session-store.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { type PrefixUse, takePrefix } from './take-prefix.ts';

/** Settings of a connection. */
export type RedisSettings = Pick<
  Config,
  'redisUrl' | 'redisConnectTimeoutMs' | 'redisCommandTimeoutMs' | 'redisRetryMs'
>;

/** A connection to the Redis of the settings. Fails, in one line, when it is not reachable. */
export function connectRedis(
  config: RedisSettings,
  events: Pick<ConnectionOptions, 'onReconnect' | 'onChange' | 'onRefusal'> = {},
): Promise<RedisConnection> {
  return openRedis({
    urls: config.redisUrl,
    connectTimeoutMs: config.redisConnectTimeoutMs,
    commandTimeoutMs: config.redisCommandTimeoutMs,
    retryAfterMs: config.redisRetryMs,
    nowMs: () => performance.now(),
    ...events,
  }).catch((error: unknown) => {
    throw new Error(startFailure(error, addressesOf(config.redisUrl)), { cause: error });
  });
}

/** The same for a server, which logs whether Redis answers; `kept` names the data of this Redis in messages. */
export async function openRedisOf(
  config: Config,
  logger: Logger,
  kept: string,
  onReconnect?: () => void,
): Promise<RedisConnection> {
  let connection: RedisConnection | undefined;
  /** Nodes of a cluster that are away while others answer; where none does, health says so. */
  const away = new Set<string>();
  const connecting = connectRedis(config, {
    onReconnect,
    onChange: (node, isAvailable, err) => {
      if (isAvailable && away.delete(node)) logger.info({ node }, 'a node of Redis answers again');
      if (isAvailable || !connection?.isAvailable) return;
      away.add(node);
      logger.error({ node, err }, `a node of Redis does not answer: its ${kept} cannot be reached`);
    },
    onRefusal: (node, refusal) => {
      if (!refusal) logger.info({ node }, 'Redis stores again');
      else logger.error({ node, err: refusal }, `Redis stores nothing: ${kept} are as they were`);
    },
  });
  connection = await connecting;
  return connection;
}

function startFailure(error: unknown, where: string): string {
  if (!(error instanceof MnemeError)) return `MNEME_REDIS_URL: ${where}: ${String(error)}`;
  if (error.metadata['fault'] !== 'disconnected') return `MNEME_REDIS_URL: ${where}: ${error.message}`;
  const why = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `MNEME_REDIS_URL: there is no connection to Redis at ${where}${why}. Start it, or correct the address.`;
}

/** Without user names and passwords. */
function addressesOf(urls: readonly string[]): string {
  return urls.map((url) => new URL(url).host).join(', ');
}

/** The Redis of sessions: its key prefix is taken, and the durability of its writes is read again when it may have changed. */
export interface SessionRedis {
  readonly connection: RedisConnection;
  readonly durability: WatchedDurability;
}

/**
 * Opens it. With `mayStartWithout`, a Redis that does not answer is asked again until it does, and calls fail meanwhile;
 * otherwise the opening fails in one line.
 */
export async function openSessionRedis(
  config: Config,
  use: PrefixUse,
  logger: Logger,
  closers: (() => Promise<void>)[],
  mayStartWithout: boolean,
): Promise<SessionRedis> {
  let durability: WatchedDurability | undefined;
  let presence: ServerPresence | undefined;
  const open = async (): Promise<RedisConnection> => {
    const opened = await openRedisOf(config, logger, 'sessions', () => durability?.readAgain());
    try {
      presence = await takePrefix(config, use, opened, logger);
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  };
  const connection = await open().catch((err: unknown) => {
    if (!mayStartWithout || !isSilent(err)) throw err;
    logger.error({ err }, 'Redis does not answer: the server starts without it, and asks again until it does');
    return new LateConnection({
      open,
      retryAfterMs: config.redisRetryMs,
      onOpen: () => {
        logger.info('Redis answers: sessions are there from now on');
        durability?.readAgain();
      },
      mayRetry: (error) => {
        if (!isSilent(error)) logger.error({ err: error }, 'sessions in Redis cannot be used');
        return !(error instanceof ConfigError);
      },
    });
  });
  closers.push(() => connection.close());
  closers.push(async () => presence?.close());
  durability = await watchDurability(config, connection, logger);
  closers.push(() => durability.stop());
  return { connection, durability };
}

function isSilent(error: unknown): boolean {
  return isAway(error) || (error instanceof Error && isAway(error.cause));
}

async function watchDurability(
  { redisRetryMs: retryAfterMs }: Config,
  connection: RedisConnection,
  logger: Logger,
): Promise<WatchedDurability> {
  const options = {
    connection,
    retryAfterMs,
    onChange: (now: RedisDurability) => {
      logger.info({ survives: now.durability }, 'Redis has other settings than before');
      warnOf(now, logger);
    },
    onFault: (err: unknown) => logger.error({ err }, 'the durability of sessions in Redis cannot be read'),
  };
  if (connection instanceof LateConnection) return new WatchedDurability(options);
  const watched = await WatchedDurability.read(options);
  warnOf(watched.current, logger);
  return watched;
}

function warnOf({ weaknesses }: RedisDurability, logger: Logger): void {
  for (const weakness of weaknesses) logger.warn(weakness);
}

/** Why a reachable Redis refuses writes of `kept` now. */
export function refusalsOf({ isAvailable, refusal }: RedisConnection, kept: string): string[] {
  return isAvailable && refusal ? [`${kept}: ${refusal.message}`] : [];
}

/**
 * Redis as a backend with health. For a cluster, one reachable node is enough: the services continue without the data
 * of the others.
 */
export function watchedRedis(
  connection: RedisConnection,
  keeps: string,
  served: string,
  services: WatchedBackend['services'],
): WatchedBackend {
  return {
    technology: 'Redis',
    keeps,
    served,
    services,
    get isAvailable() {
      return connection.isAvailable;
    },
    async probe() {
      await connection.askReachable(['PING']);
    },
  };
}
