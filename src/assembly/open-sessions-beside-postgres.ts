import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import type { PostgresRecords } from '../storage/postgres/record-store.ts';
import { isServersLockHeld } from '../storage/postgres/servers-lock.ts';
import { PostgresSeenKeyspaces } from '../storage/postgres/sessions/seen-keyspaces.ts';
import { SessionHome } from '../storage/postgres/sessions/session-home.ts';
import type { RedisConnection } from '../storage/redis/connection.ts';
import { redisUnavailable } from '../storage/redis/driver-error.ts';
import { SessionMark } from '../storage/redis/sessions/session-mark.ts';
import { openRedisSessions, type RedisSessions } from './open-redis-sessions.ts';
import { takePrefix } from './take-prefix.ts';

/** Job that a running server leases again and again. */
const SESSION_JOB = 'sessions';
const LOOK_MS = 250;
/** Longer than servers take to put back the mark that Redis has lost. */
const LOOKS_MAX = 20;

/**
 * Sessions in Redis, of servers whose memories are in PostgreSQL. Fails, in one line, where servers of this PostgreSQL
 * have their sessions elsewhere, or this Redis has those of others.
 */
export async function openSessionsBesidePostgres(
  config: Config,
  records: PostgresRecords,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<RedisSessions> {
  const { access } = records;
  const seen = new PostgresSeenKeyspaces(access);
  const checkNamespace = (name: string) => records.getNamespace(name);
  const opened = await openRedisSessions(config, { checkNamespace, seen }, logger, closers);
  const { redis, durability } = opened;
  for (const weakness of durability.current.sessionWeaknesses) logger.warn(weakness);
  const presence = await takePrefix(config, 'sessions', redis, logger);
  closers.push(() => presence.close());
  const mark = new SessionMark(redis, config.redisKeyPrefix);
  const { schema } = records.core.database;
  const isLocked = () => access.read((session) => isServersLockHeld(session, schema));
  const known = await new HomeInRedis({ home: new SessionHome(access), isLocked, mark, config, logger }).settle();
  return { ...opened, backend: keepingMark(opened.backend, mark, known, redis) };
}

interface HomeParts {
  readonly home: SessionHome;
  /** Whether servers hold the lock that each of them shares while it is connected. */
  readonly isLocked: () => Promise<boolean>;
  readonly mark: SessionMark;
  readonly config: Pick<Config, 'redisKeyPrefix'>;
  readonly logger: Logger;
}

/** Makes PostgreSQL and a Redis name each other, so that all servers have their sessions in the same place. */
class HomeInRedis {
  private readonly parts: HomeParts;

  constructor(parts: HomeParts) {
    this.parts = parts;
  }

  /** Resolves to the mark in both. */
  async settle(): Promise<string> {
    const { home, mark, logger } = this.parts;
    const known = (await home.mark()) ?? (await this.begin());
    const found = await mark.read();
    if (found === known) return known;
    if (found !== undefined) throw this.otherRecords();
    // A Redis that was emptied; or another one than that of servers that run.
    if (await this.othersRun(async () => (await mark.read()) === known)) {
      throw new ConfigError([
        'MNEME_REDIS_URL: this Redis has not the sessions of the servers that share MNEME_POSTGRES_URL. Expected the address and the prefix of theirs (docs/postgres.md)',
      ]);
    }
    if ((await mark.put(known)) !== known) throw this.otherRecords();
    logger.info('this Redis has the sessions of the servers of this PostgreSQL from now on');
    return known;
  }

  /** For the first server with both. */
  private async begin(): Promise<string> {
    const { home, mark } = this.parts;
    if ((await mark.read()) !== undefined) throw this.otherRecords();
    if (await this.othersRun(async () => (await home.mark()) !== undefined)) {
      throw new ConfigError([
        'MNEME_REDIS_URL: servers without it use the same MNEME_POSTGRES_URL. Expected all of them with it, or none: stop them first (docs/postgres.md)',
      ]);
    }
    const made = await home.giveToRedis(randomUUID());
    if (made !== undefined) return made;
    throw new ConfigError([
      'MNEME_REDIS_URL: PostgreSQL has sessions, which would be missing in Redis. Expected none: end and delete them, or start without it (docs/postgres.md)',
    ]);
  }

  /**
   * Whether other servers run: by the lock that they share; by the lease of the job of sessions, which they renew, where
   * they are not connected now. The lease of a dead server ends within a minute. False as soon as `isSettled`.
   */
  private async othersRun(isSettled: () => Promise<boolean>): Promise<boolean> {
    const { home, isLocked, logger } = this.parts;
    const first = await home.leaseEnd(SESSION_JOB);
    for (let look = 0; ; look++) {
      const isConnected = await isLocked();
      const end = await home.leaseEnd(SESSION_JOB);
      if ((!isConnected && end === undefined) || (await isSettled())) return false;
      if (isConnected ? look >= LOOKS_MAX : end !== first) return true;
      if (look === 0) logger.warn('waiting to see whether other servers of this PostgreSQL run');
      await sleep(LOOK_MS);
    }
  }

  private otherRecords(): ConfigError {
    return new ConfigError([
      `--redis-key-prefix ${this.parts.config.redisKeyPrefix}: it has the sessions of servers with another PostgreSQL. Expected another prefix (docs/postgres.md)`,
    ]);
  }
}

/** The mark comes back after a loss of Redis. Where Redis has that of others, its sessions are not used any more. */
function keepingMark(
  backend: WatchedBackend,
  mark: SessionMark,
  known: string,
  redis: RedisConnection,
): WatchedBackend {
  return {
    technology: backend.technology,
    keeps: backend.keeps,
    services: backend.services,
    get isAvailable() {
      return backend.isAvailable;
    },
    async probe() {
      await backend.probe();
      // Of a cluster, the node of the mark may be away alone; a Redis may store nothing.
      const found = await mark.put(known).catch(() => known);
      if (found !== known) redis.refuse(redisUnavailable('other_records'));
    },
  };
}
