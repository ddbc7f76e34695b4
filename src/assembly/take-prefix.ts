import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { SHARED_LOG } from '../storage/redis/command-log.ts';
import type { RedisConnection } from '../storage/redis/connection.ts';
import { formerIndexesKey } from '../storage/redis/former-indexes.ts';
import { keyspacePrefix } from '../storage/redis/keys.ts';
import { ServerPresence } from '../storage/redis/server-presence.ts';
import { SessionMark } from '../storage/redis/sessions/session-mark.ts';

/** Data of servers under a key prefix: that of one server; all data of several; sessions of servers with PostgreSQL. */
export type PrefixUse = 'one server' | 'shared' | 'sessions';

/** Time after which a dead server is no longer counted. */
const PRESENCE_LEASE_MS = 30_000;

/**
 * Takes the key prefix. By host and data folder, so that a restarted server is not refused because of its own lease.
 * Fails, in one line, where servers use it otherwise.
 */
export async function takePrefix(
  { data, redisKeyPrefix: prefix }: Config,
  use: PrefixUse,
  connection: RedisConnection,
  logger: Logger,
): Promise<ServerPresence> {
  const presence = new ServerPresence({
    connection,
    prefix,
    server: `${hostname()}:${resolve(data)}`,
    leaseMs: PRESENCE_LEASE_MS,
    isShared: use !== 'one server',
    onWait: (other) =>
      logger.warn({ other }, 'another server has the Redis key prefix: waiting to see whether it has died'),
    onSuperseded: (by) => logger.error({ by }, 'another server has taken the Redis key prefix: start this one again'),
  });
  const other = await presence.begin();
  if (other !== undefined) throw new ConfigError([`--redis-key-prefix ${prefix}: ${usedBy(other, use)}`]);
  try {
    const problem = await otherUse(connection, prefix, use);
    if (problem !== undefined) throw new ConfigError([`--redis-key-prefix ${prefix}: ${problem} (docs/redis.md)`]);
    return presence;
  } catch (error) {
    await presence.close();
    throw error;
  }
}

function usedBy(other: string, use: PrefixUse): string {
  const unknown = use === 'sessions' ? 'its sessions' : 'its memories and settings';
  const together = use === 'sessions' ? 'with MNEME_POSTGRES_URL' : 'with --redis-shared';
  return (
    `another server uses it (${other}): ${unknown} would not be known here. ` +
    `Expected a prefix of its own, or all servers of the prefix ${together} (docs/redis.md)`
  );
}

/** Conflicting use of the prefix, with its remedy; `undefined` without a conflict. */
async function otherUse(connection: RedisConnection, prefix: string, use: PrefixUse): Promise<string | undefined> {
  const exists = async (key: string) => (await connection.send(key, ['EXISTS', key])) !== 0;
  if (use !== 'shared' && (await exists(`${keyspacePrefix(prefix, ...SHARED_LOG)}:state`))) {
    const expected = use === 'sessions' ? 'another prefix' : '--redis-shared, or another prefix';
    return `servers share all memories under it. Expected ${expected}`;
  }
  const isMarked = (await new SessionMark(connection, prefix).read()) !== undefined;
  if (use === 'sessions') {
    // That server may be down: its memories and sessions stay its own.
    const isOfOne = !isMarked && (await exists(formerIndexesKey(prefix)));
    return isOfOne ? 'it has the data of a server without PostgreSQL. Expected another prefix' : undefined;
  }
  if (!isMarked) return undefined;
  return 'it has the sessions of servers with PostgreSQL. Expected MNEME_POSTGRES_URL, or another prefix';
}
