import { MigrationError } from '../../storage/migration/portable.ts';
import type { PostgresDatabase, Session } from '../../storage/postgres/database.ts';
import { hasExternalBodies } from '../../storage/postgres/move-bodies-back.ts';
import { RedisBodies } from '../../storage/redis/body-store.ts';
import { readDurability } from '../../storage/redis/durability.ts';
import type { Config } from '../config/config.ts';
import { connectRedis, type RedisSettings } from './open-redis.ts';

/** Settings of the Redis that has texts of the upper tiers. */
export type RedisOfCommand = RedisSettings & Pick<Config, 'redisKeyPrefix'>;

/** Runs work that reads one state of PostgreSQL (`snapshotOfRecords`), with a connection to Redis where bodies are in it. */
export async function withBodies<T>(
  config: RedisOfCommand,
  database: PostgresDatabase,
  session: Session,
  work: () => Promise<T>,
): Promise<T> {
  if (!(await hasExternalBodies(session))) return work();
  if (config.redisUrl.length === 0) {
    throw new MigrationError(
      `texts of schema ${database.schema} of PostgreSQL are in Redis: set MNEME_REDIS_URL as its servers have it`,
    );
  }
  const connection = await connectRedis(config).catch((error: Error) => {
    throw new MigrationError(error.message, { cause: error });
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
