import type { Config } from '../config/config.ts';
import { MigrationError } from '../storage/migration/failure.ts';
import { hasBodiesBeside } from '../storage/postgres/bring-home.ts';
import type { PostgresDatabase, Session } from '../storage/postgres/database.ts';
import { RedisBodies } from '../storage/redis/body-store.ts';
import { readDurability } from '../storage/redis/durability.ts';
import { openRedis } from '../storage/redis/open-connection.ts';

/** Of the Redis that has texts in the upper tiers. */
export type RedisOfCommand = Pick<
  Config,
  'redisUrl' | 'redisKeyPrefix' | 'redisConnectTimeoutMs' | 'redisCommandTimeoutMs' | 'redisRetryMs'
>;

/**
 * Runs the work of a command on one state of PostgreSQL, of which the bodies in Redis stay until the end (`holdingBodies`).
 * Redis is opened where bodies are in it.
 */
export async function withBodies<T>(
  config: RedisOfCommand,
  database: PostgresDatabase,
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  if (!(await hasBodiesBeside(session))) return work();
  if (config.redisUrl.length === 0) {
    throw new MigrationError(
      `texts of schema ${database.schema} of PostgreSQL are in Redis: set MNEME_REDIS_URL as its servers have it`,
    );
  }
  const connection = await openRedis({
    urls: config.redisUrl,
    connectTimeoutMs: config.redisConnectTimeoutMs,
    commandTimeoutMs: config.redisCommandTimeoutMs,
    retryAfterMs: config.redisRetryMs,
    nowMs: () => performance.now(),
  });
  try {
    const store = new RedisBodies(connection, config.redisKeyPrefix, { current: await readDurability(connection) });
    database.bodies = { store, newKey: notWriting, hasUpperTiers: false, isHeld: true };
    return await work();
  } finally {
    database.bodies = undefined;
    await connection.close();
  }
}

function notWriting(): never {
  throw new Error('a command that reads bodies writes none');
}
