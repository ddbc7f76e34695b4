import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MemoryGauge } from '../../memory/meters.ts';
import type { JobLeases } from '../../storage/job-leases.ts';
import type { PostgresRecords } from '../../storage/postgres/record-store.ts';
import { PostgresSeenKeyspaces } from '../../storage/postgres/scope-policies.ts';
import { isServersLockHeld } from '../../storage/postgres/servers-lock.ts';
import { SessionOwner } from '../../storage/postgres/sessions/session-owner.ts';
import { RedisBodies } from '../../storage/redis/body-store.ts';
import type { RedisConnection } from '../../storage/redis/connection.ts';
import { redisUnavailable } from '../../storage/redis/driver-error.ts';
import { RedisMemoryGauge } from '../../storage/redis/redis-memory-gauge.ts';
import { SessionMark } from '../../storage/redis/sessions/session-mark.ts';
import { type Config, ConfigError } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import { idSource } from '../new-id.ts';
import type { WatchedBackend } from '../operations/admin/backend-health.ts';
import { openRedisSessions, type RedisSessions } from './open-redis-sessions.ts';

/** Job that a running server leases again and again; kept from the choice of Redis to its first run. */
const SESSION_JOB = { name: 'sessions', keepMs: 60_000 };
const LOOK_MS = 250;
/** Longer than servers take to put back the mark that Redis has lost. */
const LOOKS_MAX = 20;

/**
 * Opens sessions in Redis, and texts of upper tiers, for a server with memories in PostgreSQL. Fails, in one line, where other servers of this
 * PostgreSQL have their sessions elsewhere, or where this Redis has sessions of another deployment.
 */
export async function openSessionsBesidePostgres(
  config: Config,
  records: PostgresRecords,
  leases: JobLeases,
  logger: Logger,
  closers: (() => Promise<void>)[],
): Promise<RedisSessions & { readonly gauges: readonly MemoryGauge[] }> {
  const { access } = records;
  const seen = new PostgresSeenKeyspaces(access);
  const checkNamespace = (name: string) => records.getNamespace(name);
  const opened = await openRedisSessions(config, 'servers with PostgreSQL', { checkNamespace, seen }, logger, closers);
  const { redis } = opened;
  const mark = new SessionMark(redis, config.redisKeyPrefix);
  const { schema } = records.core.database;
  const isLocked = () => access.read((session) => isServersLockHeld(session, schema));
  const owner = new SessionOwner(access);
  const known = await new RedisOfSessions({ owner, isLocked, mark, leases, config, logger }).settle();
  const bodies = keepBodies(opened, { config, records, logger });
  const gauges = config.upperTiers === 'redis' ? [new RedisMemoryGauge(redis)] : [];
  return { ...opened, gauges, backend: keepingMark(opened.backend, { owner, mark, known, redis }, bodies) };
}

/** Texts of the upper tiers are beside the sessions from now on, or were, and are brought back. */
function keepBodies(
  { redis, durability }: Pick<RedisSessions, 'redis' | 'durability'>,
  { config, records, logger }: { readonly config: Config; readonly records: PostgresRecords; readonly logger: Logger },
): KeptBodies {
  const hasUpperTiers = config.upperTiers === 'redis';
  const store = new RedisBodies(redis, config.redisKeyPrefix, durability);
  records.bodies.begin({ store, newKey: idSource(), hasUpperTiers }, (count) =>
    logger.info({ count }, 'texts and contents in the upper tiers are in PostgreSQL again'),
  );
  if (hasUpperTiers && !durability.current.isReliable) {
    const { durability: survives } = store.describe();
    logger.warn({ survives }, 'texts and contents in the upper tiers are only as durable as this Redis');
  }
  let isKnown = false;
  return {
    async probe() {
      // A Redis that stores nothing keeps what it has.
      if (hasUpperTiers && (await store.mayHaveLost().catch(() => false))) records.bodies.look();
      const { degraded } = records.bodies;
      if (isKnown === (degraded !== undefined)) return;
      isKnown = !isKnown;
      if (degraded === undefined) logger.info('all texts of the upper tiers are in Redis again');
      else logger.error(degraded);
    },
  };
}

/** Puts texts back that Redis has lost. */
interface KeptBodies {
  probe(): Promise<void>;
}

export interface OwnerParts {
  readonly owner: SessionOwner;
  /** Whether servers hold the lock that each of them shares while it is connected. */
  readonly isLocked: () => Promise<boolean>;
  readonly mark: SessionMark;
  readonly leases: JobLeases;
  readonly config: Pick<Config, 'redisKeyPrefix'>;
  readonly logger: Logger;
}

/** Stores one mark in PostgreSQL and Redis, so that all servers have their sessions in the same place. */
export class RedisOfSessions {
  private readonly parts: OwnerParts;

  constructor(parts: OwnerParts) {
    this.parts = parts;
  }

  /** Resolves to the mark in both. */
  async settle(): Promise<string> {
    const { owner, mark, leases, logger } = this.parts;
    for (;;) {
      // Redis first: a server that settles at the same time changes PostgreSQL first.
      const found = await mark.read();
      const known = (await owner.mark()) ?? (await this.begin());
      if (found === known) return known;
      if (found !== undefined) throw this.otherRecords();
      // A Redis that was emptied; or another one than that of servers that run.
      if (await this.othersRun(async () => (await mark.read()) !== undefined)) {
        throw new ConfigError([
          'MNEME_REDIS_URL: this Redis does not hold the sessions of the servers that share MNEME_POSTGRES_URL. Expected their address and key prefix (docs/postgres.md)',
        ]);
      }
      // Of servers that start together with different ones, one decides.
      const marked = await leases.run(SESSION_JOB, () => this.mark(known));
      if (marked?.result !== undefined) {
        logger.info('this Redis has the sessions of the servers of this PostgreSQL from now on');
        return marked.result;
      }
    }
  }

  /** A new mark: a Redis with the former one, which may come back, is refused. `undefined` where both have changed. */
  private async mark(known: string): Promise<string | undefined> {
    const { owner, mark } = this.parts;
    const made = randomUUID();
    if ((await mark.read()) !== undefined || !(await owner.replaceMark(known, made))) return undefined;
    if ((await mark.put(made)) !== made) throw this.otherRecords();
    return made;
  }

  /** For the first server with both. */
  private async begin(): Promise<string> {
    const { owner, mark } = this.parts;
    const found = await mark.read();
    const begun = await owner.mark();
    if (begun !== undefined) return begun;
    if (found !== undefined) throw this.otherRecords();
    if (await this.othersRun(async () => (await owner.mark()) !== undefined)) {
      throw new ConfigError([
        'MNEME_REDIS_URL: servers without it use the same MNEME_POSTGRES_URL. Expected all of them with it, or none: stop them first (docs/postgres.md)',
      ]);
    }
    const made = await owner.giveToRedis(randomUUID());
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
    const { owner, isLocked, logger } = this.parts;
    const first = await owner.leaseEnd(SESSION_JOB.name);
    for (let look = 0; ; look++) {
      const isConnected = await isLocked();
      const end = await owner.leaseEnd(SESSION_JOB.name);
      if ((!isConnected && end === undefined) || (await isSettled())) return false;
      if (isConnected ? look >= LOOKS_MAX : end !== first) return true;
      if (look === 0) logger.warn('waiting to see whether other servers of this PostgreSQL run');
      await sleep(LOOK_MS);
    }
  }

  private otherRecords(): ConfigError {
    const { redisKeyPrefix: prefix } = this.parts.config;
    return new ConfigError([
      `--redis-key-prefix ${prefix}: it has the sessions of servers with another PostgreSQL, or of these before another Redis or a restore. Expected another prefix; or, where they belong to this PostgreSQL, delete the key ${prefix}:session-home (docs/postgres.md)`,
    ]);
  }
}

interface KeptMark extends Pick<OwnerParts, 'owner' | 'mark'> {
  readonly known: string;
  readonly redis: RedisConnection;
}

/**
 * The mark comes back after a loss of Redis. Where Redis has that of others, or PostgreSQL that of another Redis, its
 * sessions are not used any more.
 */
function keepingMark(
  backend: WatchedBackend,
  { owner, mark, known, redis }: KeptMark,
  bodies: KeptBodies,
): WatchedBackend {
  return {
    technology: backend.technology,
    keeps: backend.keeps,
    services: backend.services,
    served: backend.served,
    get isAvailable() {
      return backend.isAvailable;
    },
    async probe() {
      await backend.probe();
      const present = await owner.mark().catch(() => known);
      // Of a cluster, the node of the mark may be away alone; a Redis may store nothing.
      const found = present === known ? await mark.put(known).catch(() => known) : undefined;
      if (found !== known) redis.refuse(redisUnavailable('other_records'));
      else await bodies.probe();
    },
  };
}
