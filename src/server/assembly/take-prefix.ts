import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { RedisConnection } from '../../storage/redis/connection.ts';
import { ServerPresence } from '../../storage/redis/server-presence.ts';
import { SessionMark } from '../../storage/redis/sessions/session-mark.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../logger.ts';

/** Sessions under a key prefix: of one server with a data folder, or of all servers of one PostgreSQL. */
export type PrefixUse = 'one server' | 'servers with PostgreSQL';

/** Time after which a dead server is no longer counted. */
const PRESENCE_LEASE_MS = 30_000;

/**
 * Takes the key prefix. By host and data folder, so that a restarted server is not refused because of its own lease.
 * Fails with ConfigError where servers use it otherwise.
 */
export async function takePrefix(
  { data, redisKeyPrefix: prefix }: Pick<Config, 'data' | 'redisKeyPrefix'>,
  use: PrefixUse,
  connection: RedisConnection,
  logger: Logger,
): Promise<ServerPresence> {
  const presence = new ServerPresence({
    connection,
    prefix,
    server: `${hostname()}:${resolve(data)}`,
    leaseMs: PRESENCE_LEASE_MS,
    isShared: use === 'servers with PostgreSQL',
    onWait: (other) =>
      logger.warn({ other }, 'another server has the Redis key prefix: waiting to see whether it has died'),
    onSuperseded: (by) => logger.error({ by }, 'another server has taken the Redis key prefix: start this one again'),
  });
  const other = await presence.begin();
  if (other !== undefined) throw new ConfigError([`--redis-key-prefix ${prefix}: ${usedBy(other)}`]);
  try {
    const problem = await otherUse(connection, prefix, use);
    if (problem !== undefined) throw new ConfigError([`--redis-key-prefix ${prefix}: ${problem} (docs/redis.md)`]);
    return presence;
  } catch (error) {
    await presence.close();
    throw error;
  }
}

function usedBy(other: string): string {
  return (
    `another server uses it (${other}): its sessions are of other namespaces. ` +
    'Expected a prefix of its own, or all servers of the prefix with MNEME_POSTGRES_URL (docs/redis.md)'
  );
}

/**
 * Conflicting use of the prefix, with its remedy; `undefined` without a conflict. Servers that are down count too: their
 * sessions stay their own.
 */
async function otherUse(connection: RedisConnection, prefix: string, use: PrefixUse): Promise<string | undefined> {
  const key = `${prefix}:one-server`;
  const isMarked = (await new SessionMark(connection, prefix).read()) !== undefined;
  if (use === 'servers with PostgreSQL') {
    const isOfOne = !isMarked && (await connection.send(key, ['EXISTS', key])) !== 0;
    return isOfOne ? 'it has the sessions of a server without PostgreSQL. Expected another prefix' : undefined;
  }
  if (isMarked) return 'it has the sessions of servers with PostgreSQL. Expected MNEME_POSTGRES_URL, or another prefix';
  await connection.send(key, ['SET', key, '1']);
  return undefined;
}
